/// An update from a running session: one for each frame, then the verdict once, last.
public enum LiveUpdate<Verdict: Sendable>: Sendable {
    case frame(FrameEvent)
    case verdict(Verdict)
}
