"""Models on GPUs: memory, speed, and several GPUs for one job."""
