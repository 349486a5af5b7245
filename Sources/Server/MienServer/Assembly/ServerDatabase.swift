internal import Foundation
internal import MienStore
internal import MienVault

/// Where a server's records are: in a file of its data folder, or in PostgreSQL, which several
/// servers share.
enum ServerDatabase: Sendable {
    case file(path: String)
    case postgres(PostgresSettings)

    /// An open database, with the facts that its server needs.
    struct Opened {
        let driver: any SQLDriver
        let keys: KeyRing
        /// Why the database may lack data that its server had committed, if that was accepted.
        let flaw: String?
        /// Facts that an operator should know.
        let warnings: [String]
    }

    /// - Parameter file: the database in the data folder.
    /// - Throws: ``ServerStartError`` `.store` if `store.url` is malformed or not protected.
    init(_ configuration: ServerConfiguration, file: URL) throws(ServerStartError) {
        guard let url = configuration.storeURL else {
            self = .file(path: file.path)
            return
        }
        do throws(StoreError) {
            self = .postgres(
                try PostgresSettings(
                    url, passwordFile: configuration.storePasswordFile,
                    connections: configuration.storeConnections))
        } catch { throw ServerStartError(.store, error.reason) }
    }

    /// The database's name in messages.
    var place: String {
        switch self {
        case .file(let path): path
        case .postgres(let settings): "the database \(settings.place)"
        }
    }

    /// Whether several servers may use it at once.
    var isShared: Bool {
        switch self {
        case .file: false
        case .postgres: true
        }
    }

    /// Opens the database.
    ///
    /// - Parameters:
    ///   - file: the database in the data folder.
    ///   - acceptsLoss: Whether a file is opened although it may lack committed data.
    ///   - keys: Returns the master keys, and creates one unless there are records.
    /// - Throws: ``StoreError``, ``ServerStartError``, or the error of `keys`.
    func open(
        besides file: URL, acceptsLoss: Bool, keys: (_ hasRecords: Bool) throws -> KeyRing
    ) async throws -> Opened {
        switch self {
        case .file(let path):
            // The file appears after the key that opens it.
            let keys = try keys(FileManager.default.fileExists(atPath: path))
            let driver = try SQLiteDriver(path: path, acceptsLoss: acceptsLoss)
            return Opened(driver: driver, keys: keys, flaw: driver.acceptedFlaw, warnings: [])
        case .postgres(let settings):
            guard !acceptsLoss else {
                throw ServerStartError(
                    .store,
                    "--accept-lost-writes is for a database file, and store.url names PostgreSQL: start without it"
                )
            }
            let driver = try await PostgresDriver(settings)
            try await StoreCopy.requireFinished(driver)
            let hasRecords = try await driver.hasRecords()
            if !hasRecords, FileManager.default.fileExists(atPath: file.path) {
                driver.close()
                throw ServerStartError(
                    .store,
                    "\(place) is empty, but \(file.path) has data. Copy it with mien store copy, or move the file away to start with an empty database"
                )
            }
            let warnings =
                driver.isDurable
                ? []
                : [
                    "PostgreSQL runs with fsync or full_page_writes off: a power loss destroys what was committed"
                ]
            return Opened(
                driver: driver, keys: try keys(hasRecords), flaw: nil, warnings: warnings)
        }
    }
}
