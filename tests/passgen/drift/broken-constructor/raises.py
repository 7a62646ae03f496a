message = "two\nlines"
raise RuntimeError(message)
