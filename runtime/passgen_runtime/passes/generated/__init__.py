"""Generated from the specs by `make generate`; do not edit."""
