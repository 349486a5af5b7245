/// What a session that runs tells, frame by frame; the verdict comes once, last.
public enum LiveUpdate<Verdict: Sendable>: Sendable {
    case frame(FrameEvent)
    case verdict(Verdict)
}
