internal import MienCore
internal import MienFace
internal import MienStore

/// Parts of galleries on a thread of their own, which prepares and searches them: a search is
/// computing for milliseconds at a time, and would keep requests from running.
actor GalleryLane {
    private struct Part {
        var gallery: Gallery<FaceKey>
        var damaged: Set<FaceKey> = []
    }

    private let executor = ThreadExecutor(name: "mien.gallery")
    private let matcher: FaceMatcher
    private var parts: [Slot: Part] = [:]

    /// A number under which a part is kept. A part that is loaded again gets another one.
    typealias Slot = Int

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    init(matcher: FaceMatcher) { self.matcher = matcher }

    /// Begins an empty part.
    func begin(_ slot: Slot, room: Int) {
        var gallery = Gallery<FaceKey>(matcher: matcher)
        gallery.reserveCapacity(room)
        parts[slot] = Part(gallery: gallery)
    }

    /// Makes room for more faces, so that a part grows no more than was counted.
    func reserve(_ room: Int, in slot: Slot) {
        parts[slot]?.gallery.reserveCapacity(room)
    }

    /// Adds or replaces faces.
    func add(_ faces: [StoredFace], to slot: Slot) {
        for face in faces { put(face, to: slot) }
    }

    /// Replaces changed faces, and removes those that no longer exist: their numbers are overwritten.
    func apply(_ changes: [(id: AuthenticatorID, face: StoredFace?)], to slot: Slot) {
        for (id, face) in changes {
            if let face {
                put(face, to: slot)
            } else {
                let key = FaceKey(id)
                parts[slot]?.gallery.remove(key)
                parts[slot]?.damaged.remove(key)
            }
        }
    }

    private func put(_ face: StoredFace, to slot: Slot) {
        let key = FaceKey(face.authenticator)
        let reference = face.template.flatMap { template in
            template.use { bytes in
                (try? FaceTemplate(bytes: bytes)).flatMap { try? matcher.reference(for: $0) }
            }
        }
        guard let reference else {
            parts[slot]?.gallery.remove(key)
            parts[slot]?.damaged.insert(key)
            return
        }
        parts[slot]?.damaged.remove(key)
        parts[slot]?.gallery.insert(reference, id: key)
    }

    /// Overwrites and releases a part.
    func drop(_ slot: Slot) {
        parts[slot]?.gallery.removeAll()
        parts[slot] = nil
    }

    /// The number of faces in a part.
    func count(in slot: Slot) -> Int { parts[slot]?.gallery.count ?? 0 }

    struct Found: Sendable {
        var candidates: [[Gallery<FaceKey>.Candidate]] = []
        var damaged = 0
        var slots: [Slot] = []
    }

    /// Searches parts, one after the other.
    ///
    /// - Parameter limit: The maximum number of candidates of each part.
    func search(
        _ slots: [Slot], for probe: Reference, limit: Int, threshold: MatchScore,
        except exceptions: Set<FaceKey>
    ) -> Found {
        var found = Found()
        for slot in slots {
            guard let part = parts[slot] else { continue }
            found.slots.append(slot)
            found.damaged += part.damaged.subtracting(exceptions).count
            found.candidates.append(
                PartitionedGallery.search(
                    part.gallery, probe, limit: limit, threshold: threshold))
        }
        return found
    }
}
