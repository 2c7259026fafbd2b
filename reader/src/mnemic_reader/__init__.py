"""The weights and tokenizers of Mnemic's reader; README.md is their card."""
