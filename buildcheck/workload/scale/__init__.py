"""Several GPUs on one job: step times on a build, with fewer GPUs, and with other links."""
