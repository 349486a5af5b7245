/// Whether an organization's members may sign in through it.
public enum OrganizationState: String, WireWord {
    case active
    /// Suspended by an administrator of the server. Nobody signs in through it, and its own
    /// administrators change nothing, until it is active again.
    case suspended
}
