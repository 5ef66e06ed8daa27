"""The reference: rules, files, commands and JSON, as pages made of themselves."""
