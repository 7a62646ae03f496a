from passgen_tools.opt import console_main
from tests.passgen_test_opt.registry import REGISTRY, make_context

if __name__ == "__main__":
    console_main(registry=REGISTRY, make_context=make_context)
