package import MienIdentity
package import MienStore

/// The reference registry of the store as a source.
package struct RegistrySource: IdentityDataSource {
    package let name = "registry"
    package let isSimulated = false
    let store: Store
    let shortNames: ShortNames

    package init(store: Store, shortNames: ShortNames = .standard) {
        (self.store, self.shortNames) = (store, shortNames)
    }

    package func compare(_ query: SourceQuery) async throws(IdentitySourceError) -> SourceAnswer {
        do {
            return SourceAnswer(
                comparing: query.person,
                with: try await store.read { try $0.registry.candidates(for: query.person) },
                shortNames: shortNames)
        } catch { throw .unavailable }
    }
}
