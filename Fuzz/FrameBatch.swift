internal import MienAPI

/// Reads any bytes as a batch of frames, and its frames as those of a capture session. Seeds,
/// linked with this nonce: Fuzz/Seeds/FrameBatch.
///
/// Must hold: the result is an error, or frames within the limits that are written as the same
/// bytes. A chain accepts the next frame, or stays unchanged and reports the reason.
func fuzzFrameBatch(_ bytes: [UInt8]) {
    guard let frames = try? FrameBatch.decode(bytes) else { return }
    precondition((1...FrameBatch.maxFrames).contains(frames.count))
    precondition(
        frames.allSatisfy { $0.link.count == LinkedFrame.linkBytes && !$0.picture.isEmpty })
    precondition(FrameBatch.encode(frames) == bytes, "a batch has more than one encoding")
    takeAsSent(frames)
    takeRelinked(frames)
}

private let nonce = [UInt8](0..<UInt8(FrameChain.nonceBytes))

/// Accepts frames as received. Faults end a session on the server; here the chain continues,
/// because none of them may change it.
private func takeAsSent(_ frames: [LinkedFrame]) {
    var chain = FrameChain(nonce: nonce), last: LinkedFrame?
    for frame in frames {
        let before = chain
        do {
            try chain.accept(frame)
            precondition(
                frame.number == before.next && chain.next == before.next + 1,
                "a number does not increase by one")
            precondition(
                last.map { $0.milliseconds < frame.milliseconds } ?? true,
                "a time does not increase")
            last = frame
        } catch {
            precondition(chain == before, "a refused frame changed the chain")
            switch error {
            case .outOfOrder(let next): precondition(next == before.next && frame.number != next)
            case .altered: precondition(frame.number == before.next)
            case .notLater:
                precondition(last.map { frame.milliseconds <= $0.milliseconds } ?? false)
            }
        }
    }
}

/// Accepts frames with new links. No mutation makes a valid link, so a chain computes them here,
/// to get past the first frame.
private func takeRelinked(_ frames: [LinkedFrame]) {
    var sender = FrameChain(nonce: nonce), receiver = FrameChain(nonce: nonce), last: UInt32?,
        isTaking = true
    for frame in frames {
        let linked = sender.append(frame.picture, milliseconds: frame.milliseconds)
        var changed = linked.picture
        changed[changed.count / 2] ^= 1
        var other = receiver
        precondition(
            (try? other.accept(
                LinkedFrame(
                    number: linked.number, milliseconds: linked.milliseconds, link: linked.link,
                    picture: changed))) == nil,
            "a changed picture is accepted with the same link")
        // The first frame that is not later is refused, and so are all frames linked to it.
        isTaking = isTaking && last.map { $0 < frame.milliseconds } ?? true
        precondition(((try? receiver.accept(linked)) != nil) == isTaking)
        if isTaking { precondition(receiver == sender) }
        last = frame.milliseconds
    }
}
