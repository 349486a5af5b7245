internal import MienCore
internal import MienFace
internal import MienStore

extension GalleryWorker {
    /// Faces of the store are read and compared in pages, between which other work gets its turn.
    private static let storePage = 32

    /// Searches all faces of an app in the store, as a search does that finds none in memory.
    ///
    /// - Throws: ``StoreError``; `CancellationError`.
    public nonisolated func searchStore(_ query: GalleryQuery) async throws -> GalleryAnswer {
        var found = GalleryAnswer()
        for span in GalleryPart.spans(of: GalleryPart.all) {
            found.merge(try await stored(query, in: span), limit: query.limit)
        }
        found.parts = Set(GalleryPart.all)
        return found
    }

    /// Searches faces in the store, with the arithmetic of those in memory.
    nonisolated func stored(_ query: GalleryQuery, in span: GalleryPart.Span) async throws
        -> GalleryAnswer
    {
        guard query.pack == pack, let probe = query.reference(for: matcher) else {
            throw StoreError(.corrupt, "the probe of a search belongs to another model pack")
        }
        let exceptions = Set(query.exceptions)
        var found = GalleryAnswer(), last: AuthenticatorID?
        while true {
            let after = last
            let page = try await store.read {
                try $0.galleries.faces(
                    of: query.app, pack: query.pack, in: span, after: after, atMost: Self.storePage)
            }
            var gallery = Gallery<AuthenticatorID>(matcher: matcher)
            for face in page where !exceptions.contains(face.authenticator) {
                let template = face.template.flatMap { bytes in
                    bytes.use { try? FaceTemplate(bytes: $0) }
                }
                // A damaged template, of which its owner's next login tells, keeps no other face from
                // being compared.
                guard let reference = template.flatMap({ try? matcher.reference(for: $0) }) else {
                    found.damaged += 1
                    continue
                }
                gallery.insert(reference, id: face.authenticator)
            }
            var answer = GalleryAnswer()
            answer.candidates = PartitionedGallery.search(
                gallery, probe, limit: query.limit, threshold: query.threshold
            ).map { .init(face: $0.id, normalizedScore: $0.normalizedScore) }
            gallery.removeAll()
            found.merge(answer, limit: query.limit)
            guard page.count == Self.storePage else { return found }
            last = page.last?.authenticator
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
