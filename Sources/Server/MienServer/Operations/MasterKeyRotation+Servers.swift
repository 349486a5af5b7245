internal import Logging
internal import MienAPI
internal import MienCore
internal import MienStore
internal import MienVault

/// Rotations by several servers on one database.
extension MasterKeyRotation {
    /// Does what the database asks of this server, and what any one server does for all. Called on every
    /// notification and every second.
    package func follow() async throws {
        guard store.isShared else { return }
        guard !isFollowing else {
            followsAgain = true
            return
        }
        isFollowing = true
        defer { isFollowing = false }
        repeat {
            followsAgain = false
            try await step()
        } while followsAgain && tooOld == nil
    }

    private func step() async throws {
        let following: MasterKeyFollowing
        do { following = try await store.followMasterKeys() } catch let error as StoreError
            where error.code == .foreignKey
        {
            stop(error)
            return
        }
        tell(following.report.fault)
        let phases = following.phases, active = following.report.active
        let hasMoved = active != lastActive
        if hasMoved {
            // Until now, this server may have sealed records under the former key, which an earlier
            // pass did not see. Ask for another pass.
            try await store.write { try $0.masterKeyTable.askForPass(active) }
            lastActive = active
            logger.notice(
                "seals under another master key", metadata: ["key.version": "\(active)"])
        }
        try await presence?.report(following.report)
        guard hasMoved || phases.prepared != nil || phases.active?.isPassDone == false else {
            return
        }
        switch try await duty() {
        case .activate(let version): followsAgain = try await activate(version)
        case .pass: if !isSealing { wake.yield() }
        case nil: break
        }
    }

    private func stop(_ error: StoreError) {
        guard tooOld == nil else { return }
        tooOld = ServerStartError(.key, "\(error.reason). \(MasterKeySource.advice)")
        logger.critical(
            "stopping: the other servers seal under a master key that this one does not have")
        wake.yield()
    }

    private func tell(_ fault: String) {
        guard fault != loggedFault else { return }
        loggedFault = fault
        guard !fault.isEmpty else { return }
        logger.error(
            "a new master key could not be stored; trying again every second",
            metadata: ["key.reason": "\(fault)"])
    }

    /// Returns what is to be done for all servers.
    func duty() async throws -> MasterKeyPhases.Duty? {
        let since = clock.now - Presence.patience, own = own
        return try await store.read { try Self.duty($0, since: since, own) }
    }

    /// This server itself, which may not have announced itself yet.
    private var own: LivingServer {
        LivingServer(
            name: holder, host: Presence.host,
            keys: ServerKeyReport(
                stored: store.keySource.newest, active: ring.active.version, fault: loggedFault))
    }

    private static func living(_ tables: Tables, since: Instant, _ own: LivingServer) throws
        -> [LivingServer]
    {
        try tables.servers.living(since: since).filter { $0.name != own.name } + [own]
    }

    private static func duty(_ tables: Tables, since: Instant, _ own: LivingServer) throws
        -> MasterKeyPhases.Duty?
    {
        try tables.masterKeyTable.phases().duty(living: living(tables, since: since, own))
    }

    /// Begins the first phase.
    func prepare(by actor: String) async throws {
        try await follow()
        let now = clock.now, ring = ring
        let last = ring.keys.last?.version ?? 0
        let waits = try await sharedStatus().waitsFor ?? []
        try await store.write { tables in
            let phases = try tables.masterKeyTable.phases()
            if let prepared = phases.prepared {
                throw Problem(
                    .conflict,
                    "A rotation to version \(prepared.version) is being prepared and\(waits.isEmpty ? " is almost done" : Self.waiting(waits)). It goes on by itself. To keep the present key, cancel the rotation."
                )
            }
            guard let active = phases.active, active.name == ring.active.name else {
                throw Problem(
                    .conflict,
                    "This server does not seal under the key in use yet. Try again in a few seconds."
                )
            }
            guard active.isPassDone else { throw Self.sealing }
            guard phases.keys.count(where: { $0.state == .active }) < Self.maxKeys else {
                throw Self.tooMany
            }
            let version = phases.nextVersion(after: last)
            let key = MasterKey(
                bytes: RandomSource.system.bytes(MasterKey.size), version: version)
            try tables.masterKeyTable.prepare(key, by: actor, at: now)
            try tables.audit.append(.masterKey("master-key.prepared", version, by: actor), at: now)
        }
    }

    /// Begins the second phase.
    ///
    /// - Returns: `false` if a server still lacks the key, or another server was faster.
    private func activate(_ version: UInt32) async throws -> Bool {
        let now = clock.now, since = now - Presence.patience, own = own
        return try await store.write { tables in
            guard try Self.duty(tables, since: since, own) == .activate(version),
                let actor = try tables.masterKeyTable.activate(version, at: now)
            else { return false }
            try tables.audit.append(.masterKey("master-key.rotated", version, by: actor), at: now)
            return true
        }
    }

    func removeShared(_ version: UInt32, by actor: String) async throws {
        let now = clock.now, since = now - Presence.patience, own = own
        let used = try await store.write { tables -> Int in
            let phases = try tables.masterKeyTable.phases()
            guard let key = phases.keys.first(where: { $0.version == version }) else {
                throw Self.unknown
            }
            switch key.state {
            case .canceled, .removed: throw Self.unknown
            case .prepared:
                _ = try tables.masterKeyTable.cancel(version, at: now)
                try tables.audit.append(
                    .masterKey("master-key.canceled", version, by: actor), at: now)
                return 0
            case .active: break
            }
            guard key != phases.active else { throw Self.inUse }
            let late = phases.waitsToMove(try Self.living(tables, since: since, own))
            guard late.isEmpty else {
                throw Problem(
                    .conflict,
                    "Not every server seals under the key in use: the removal\(Self.waiting(late.map { Self.answer($0, isPreparing: false) })). Try again later."
                )
            }
            // If another server writes meanwhile, this serializable transaction runs again, so the
            // count is exact.
            let used = try tables.masterKeys.counts()[key.name, default: 0]
            guard used == 0 else { return used }
            _ = try tables.masterKeyTable.remove(version, at: now)
            try tables.audit.append(.masterKey("master-key.removed", version, by: actor), at: now)
            return 0
        }
        if used > 0 {
            let active = ring.active.version
            try await store.write { tables in
                // A pass that is under way reaches these records, or the server that wrote them
                // asks for another.
                guard try tables.masterKeyTable.phases().active?.isPassDone == true else { return }
                try tables.masterKeyTable.askForPass(active)
            }
            throw Self.needed(used)
        }
        try await follow()
    }

    func sharedStatus() async throws -> MasterKeysAnswer {
        let since = clock.now - Presence.patience, own = own
        let (phases, counts, living) = try await store.read { tables in
            (
                try tables.masterKeyTable.phases(), try tables.masterKeys.counts(),
                try Self.living(tables, since: since, own)
            )
        }
        let prepared = phases.prepared
        let late = prepared == nil ? phases.waitsToMove(living) : phases.waitsToPrepare(living)
        return MasterKeysAnswer(
            keys: phases.keys.filter { $0.state == .active }.map {
                MasterKeyAnswer(
                    version: Int($0.version), id: Self.id($0.name),
                    records: counts[$0.name, default: 0], isActive: $0 == phases.active)
            },
            isSealing: prepared != nil || phases.active?.isPassDone == false,
            next: prepared.map {
                NextMasterKeyAnswer(version: Int($0.version), id: Self.id($0.name))
            },
            waitsFor: late.isEmpty
                ? nil : late.map { Self.answer($0, isPreparing: prepared != nil) })
    }

    /// The ID of a key, which follows the version in its name.
    private static func id(_ name: SealedKeyName) -> String { hexadecimal(name.bytes.suffix(8)) }

    private static func answer(_ server: LivingServer, isPreparing: Bool) -> WaitingServerAnswer {
        let reason =
            switch server.keys {
            case nil: "has not said yet which keys it has"
            case let keys? where !keys.fault.isEmpty: "cannot store the key: \(keys.fault)"
            case _ where isPreparing: "has not stored the key yet"
            case _: "does not seal under the key in use yet"
            }
        return WaitingServerAnswer(name: server.name, host: server.host, reason: reason)
    }

    private static func waiting(_ servers: [WaitingServerAnswer]) -> String {
        servers.isEmpty
            ? ""
            : " waits for "
                + servers.map { "\($0.host.isEmpty ? $0.name : $0.host), which \($0.reason)" }
                .joined(separator: "; ")
    }
}
