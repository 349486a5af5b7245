/// The file in a data folder that says when the last backup was completed: seconds since 1970, as
/// text. `mien backup` writes it, and the server's metrics show it.
public enum BackupMark {
    public static let file = ".last-backup"
}
