print("mien")
