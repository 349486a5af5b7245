internal import MienAPI

/// Any bytes as a batch of frames, and its frames as a live capture's. Seeds, linked with this
/// nonce: Fuzz/Seeds/FrameBatch.
///
/// What must hold: an error, or frames within the limits that are written as the bytes they were
/// read from. A chain takes the next frame or is left as it was, and says why.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(start: UnsafePointer<UInt8>?, count: Int) -> Int32 {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let frames = try? FrameBatch.decode(bytes) else { return 0 }
    precondition((1...FrameBatch.maxFrames).contains(frames.count))
    precondition(
        frames.allSatisfy { $0.link.count == LinkedFrame.linkBytes && !$0.picture.isEmpty })
    precondition(FrameBatch.encode(frames) == bytes, "one form for one batch")
    takeAsSent(frames)
    takeRelinked(frames)
    return 0
}

private let nonce = [UInt8](0..<UInt8(FrameChain.nonceBytes))

/// Faults end a session on the server; here the chain goes on, as none of them may change it.
private func takeAsSent(_ frames: [LinkedFrame]) {
    var chain = FrameChain(nonce: nonce), last: LinkedFrame?
    for frame in frames {
        let before = chain
        do {
            try chain.accept(frame)
            precondition(
                frame.number == before.next && chain.next == before.next + 1, "numbers rise by one")
            precondition(last.map { $0.milliseconds < frame.milliseconds } ?? true, "times rise")
            last = frame
        } catch {
            precondition(chain == before, "a frame that was refused left something behind")
            switch error {
            case .outOfOrder(let next): precondition(next == before.next && frame.number != next)
            case .altered: precondition(frame.number == before.next)
            case .notLater:
                precondition(last.map { frame.milliseconds <= $0.milliseconds } ?? false)
            }
        }
    }
}

/// No mutation makes a right link: the chain makes them here, so that what comes after the first is
/// reached, too.
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
            "another picture under the same link")
        // The first that is not later is refused, and so is all that was linked to it.
        isTaking = isTaking && last.map { $0 < frame.milliseconds } ?? true
        precondition(((try? receiver.accept(linked)) != nil) == isTaking)
        if isTaking { precondition(receiver == sender) }
        last = frame.milliseconds
    }
}
