"""From plans to the texts of kernels, launchers and manifests."""
