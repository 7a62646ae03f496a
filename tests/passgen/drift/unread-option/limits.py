from unroll import unroll


def limit(options):
    return options.read_in_module
