"""The parts of `passgen-opt`, each with its flags."""
