"""Extensions of the core: packages that use what any third party can use."""
