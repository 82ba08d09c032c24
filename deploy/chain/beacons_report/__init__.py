"""The report: the week of a store as one HTML or PDF file for its manager."""
