import MienCore
import MienStore
import MienVault
import Testing

@Suite struct JourneyContract {
    static let login = JourneyID("face-login")!

    @Test(arguments: StoreKind.allCases)
    func
        `a draft can be changed until it is published; a retired version can be published again, unchanged`(
            kind: StoreKind
        ) async throws
    {
        let test = try await TestStore(kind), id = Self.login
        try await test.store.write { tables in
            try tables.journeys.putDraft(id, version: 1, definition: "a", at: .start)
            try tables.journeys.putDraft(id, version: 1, definition: "b", at: .start + .seconds(1))
            #expect(try tables.journeys.published(id) == nil, "a draft cannot be started")
            #expect(try tables.journeys.retire(id, version: 1, at: .start) == false)
            #expect(try tables.journeys.publish(id, version: 2, at: .start) == false)
            #expect(try tables.journeys.publish(id, version: 1, at: .start + .seconds(2)))
            #expect(try tables.journeys.publish(id, version: 1, at: .start) == false)
            let published = try #require(try tables.journeys.published(id))
            #expect(
                published.definition == "b" && published.version == 1
                    && published.updatedAt == .start + .seconds(2))
        }
        let change: @Sendable () async throws -> Void = {
            try await test.store.write {
                try $0.journeys.putDraft(id, version: 1, definition: "c", at: .start)
            }
        }
        #expect(await refusal(change) == .conflict)
        #expect(try await test.store.write { try $0.journeys.retire(id, version: 1, at: .start) })
        #expect(try await test.store.write { try !$0.journeys.retire(id, version: 1, at: .start) })
        #expect(await refusal(change) == .conflict)
        #expect(
            try await test.store.read { try $0.journeys.find(id, version: 1)?.definition } == "b")
        #expect(
            try await test.store.write { try $0.journeys.publish(id, version: 1, at: .start) },
            "a retired version can be published again")
        #expect(await refusal(change) == .conflict)
    }

    @Test(arguments: StoreKind.allCases)
    func `one version is published at a time, and runs find their own version`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind), id = Self.login, other = JourneyID("other")!
        try await test.store.write { tables in
            for version in [2, 10, 1] {
                try tables.journeys.putDraft(
                    id, version: version, definition: "v\(version)", at: .start)
                #expect(try tables.journeys.publish(id, version: version, at: .start))
            }
            try tables.journeys.putDraft(other, version: 1, definition: "o", at: .start)
            #expect(try tables.journeys.publish(other, version: 1, at: .start))
            #expect(try tables.journeys.published(id)?.version == 1, "the last published version")
            #expect(
                try tables.journeys.all().map { "\($0.id) \($0.version) \($0.state)" } == [
                    "face-login 1 published", "face-login 2 retired", "face-login 10 retired",
                    "other 1 published",
                ])
            #expect(try tables.journeys.find(id, version: 2)?.definition == "v2")
        }
    }

    static func run(_ id: String, expires: Int = 60) -> JourneyRunRecord {
        JourneyRunRecord(
            id: InstanceID("run_\(id)")!, app: .shop, journey: login, tokenHash: [0],
            state: Sensitive(Array("state \(id)".utf8)),
            expiresAt: .start + .seconds(expires))
    }

    @Test(arguments: StoreKind.allCases) func `a run advances and stores its last response`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), run = Self.run("1")
        try await test.store.write(.process) { try $0.runs.insert(run) }
        #expect(
            await refusal { try await test.store.write(.process) { try $0.runs.insert(run) } }
                == .conflict)
        let read = try await test.store.read { try $0.runs.find(run.id) }
        var next = try #require(read)
        #expect(
            next.revision == 0 && next.used == nil && next.state.shown == Array("state 1".utf8)
                && next.expiresAt == run.expiresAt)
        next.tokenHash = [1]
        next.used = .init(tokenHash: [0], requestHash: [5], answer: Sensitive(Array("answer".utf8)))
        next.state = Sensitive([])
        let changed = next
        try await test.store.write(.process) { try $0.runs.advance(changed, from: 0) }
        let after = try #require(try await test.store.read { try $0.runs.find(run.id) })
        #expect(after.revision == 1 && after.tokenHash == [1] && after.state.shown == [])
        #expect(
            after.used?.tokenHash == [0] && after.used?.requestHash == [5]
                && after.used?.answer.shown == Array("answer".utf8))
        #expect(
            await refusal {
                try await test.store.write(.process) { try $0.runs.advance(changed, from: 0) }
            } == .stale)
        let stranger = Self.run("2")
        #expect(
            await refusal {
                try await test.store.write(.process) { try $0.runs.advance(stranger, from: 0) }
            } == .stale)
    }

    @Test(arguments: StoreKind.allCases)
    func `a run whose content is malformed is corrupt`(kind: StoreKind) async throws {
        let test = try await TestStore(kind), run = Self.run("1")
        func sealed(_ text: String) -> SQLValue {
            .blob(
                RecordSealer(
                    key: MasterKey(bytes: Array(1...32)),
                    purpose: SealPurpose(label: "mien/v1/journey-run")
                ).seal(Array(text.utf8), identity: Array(run.id.text.utf8)))
        }
        try await test.store.write(.process) { try $0.runs.insert(run) }
        // Neither begins with a 1, nor has as many bytes as its length says.
        for content in ["{}", "\u{1}\u{1}\u{0}\u{0}", "\u{1}\u{1}\u{0}\u{0}\u{0}"] {
            try await test.sql("UPDATE journey_run SET state_sealed = ?", sealed(content))
            #expect(
                await refusal { _ = try await test.store.read { try $0.runs.find(run.id) } }
                    == .corrupt, "\(content)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `of many concurrent advances of one run, one succeeds`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), run = Self.run("1")
        try await test.store.write(.process) { try $0.runs.insert(run) }
        for revision in 0..<5 {
            let winners = await withTaskGroup(of: UInt8?.self) { group in
                for task in UInt8(0)..<64 {
                    group.addTask {
                        var mine = run
                        mine.tokenHash = [task]
                        let changed = mine
                        let code = await refusal {
                            try await test.store.write(.process) {
                                try $0.runs.advance(changed, from: revision)
                            }
                        }
                        #expect(code == nil || code == .stale)
                        return code == nil ? task : nil
                    }
                }
                return await group.reduce(into: [UInt8]()) { if let task = $1 { $0.append(task) } }
            }
            let after = try #require(try await test.store.read { try $0.runs.find(run.id) })
            #expect(
                winners.count == 1 && after.tokenHash == winners && after.revision == revision + 1)
        }
    }

    @Test(arguments: StoreKind.allCases) func `sweeping removes expired rows in batches`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind)
        try await test.store.write { tables in
            for index in 0..<10 {
                let end = Instant.start + .seconds(index)
                try tables.runs.insert(Self.run("\(index)", expires: index))
                try tables.captures.insert(Self.capture("\(index)", expires: index))
                try tables.codes.put("\(index)", hash: [1], expiresAt: end)
                try tables.signingKeys.insert(Self.key("\(index)", expires: end))
            }
        }
        // Rows that expire at this very moment have expired: 0...6.
        let now = Instant.start + .seconds(6)
        try await test.store.write { tables in
            for sweep in [tables.runs.sweep, tables.captures.sweep, tables.codes.sweep] {
                let counts = try (0..<4).map { _ in try sweep(now, 3) }
                #expect(counts == [3, 3, 1, 0])
            }
            #expect(try tables.signingKeys.sweep(at: now) == 7)
        }
        for table in ["journey_run", "capture", "one_time_code", "signing_key"] {
            #expect(try await test.count(table) == 3, "\(table)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `the newest capture trails stay, up to a limit, and expired ones are removed`(
        kind: StoreKind
    )
        async throws
    {
        let test = try await TestStore(kind)
        try await test.store.write { tables in
            for index in 0..<12 {
                // Two at a time expire at the same moment.
                let record = CaptureTrailRecord(
                    id: CaptureID("cap_\(100 + index)")!, trail: Sensitive([UInt8(index)]),
                    expiresAt: .start + .seconds(index / 2))
                try tables.trails.insert(record)
            }
        }
        try await test.store.write { tables in
            let newest = try tables.trails.newest(atMost: 5).map(\.id.text)
            #expect(newest == ["cap_110", "cap_111", "cap_108", "cap_109", "cap_106"])
            // 0 and 1 have expired; 2...5 and 7 exceed the limit.
            let counts = try (0..<4).map { _ in
                try tables.trails.sweep(at: .start, keeping: 5, atMost: 3)
            }
            #expect(counts == [3, 3, 1, 0])
            #expect(try tables.trails.newest(atMost: 12).map(\.id.text) == newest)
            #expect(try tables.trails.sweep(at: .start + .seconds(4), keeping: 5, atMost: 3) == 3)
            #expect(try tables.trails.newest(atMost: 12).map(\.id.text) == ["cap_110", "cap_111"])
            #expect(try tables.trails.sweep(at: .start, keeping: 0, atMost: 3) == 2)
        }
    }

    static func capture(_ id: String, expires: Int = 60) -> CaptureRecord {
        CaptureRecord(
            id: CaptureID("cap_\(id)")!, tokenHash: [8], run: InstanceID("run_1")!, app: .shop,
            content: Sensitive(Array("content \(id)".utf8)),
            expiresAt: .start + .seconds(expires))
    }

    @Test(arguments: StoreKind.allCases)
    func `a lost capture is opened again, and its earlier server no longer writes about it`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), capture = Self.capture("lost")
        try await test.store.write { try $0.captures.insert(capture) }
        var next = capture
        (next.frames, next.content) = (1, Sensitive([5]))
        let again = next
        #expect(
            await refusal {
                try await test.store.write { try $0.captures.reopen(again, from: 0) }
            } == .stale, "it has not failed")
        next = capture
        next.state = .failed
        let lost = next
        try await test.store.write { tables in
            try tables.captures.update(lost, from: 0)
            try tables.captures.reopen(again, from: 0)
        }
        let found = try #require(try await test.store.read { try $0.captures.find(capture.id) })
        #expect(found.state == .open && found.frames == 1 && found.content.shown == [5])
        next = capture
        next.state = .passed
        let late = next
        #expect(
            await refusal {
                try await test.store.write { try $0.captures.update(late, from: 0) }
            } == .stale, "the earlier server was only paused")
    }

    @Test(arguments: StoreKind.allCases)
    func `a capture can be updated from the version that was read until it fails or is canceled`(
        kind: StoreKind
    )
        async throws
    {
        let test = try await TestStore(kind)
        for end in [CaptureRecord.State.failed, .cancelled] {
            let capture = Self.capture(end.rawValue)
            try await test.store.write { try $0.captures.insert(capture) }
            var next = capture
            next.frames = 1
            next.state = .passed
            next.content = Sensitive([4])
            let passed = next
            try await test.store.write { try $0.captures.update(passed, from: 0) }
            #expect(
                await refusal {
                    try await test.store.write { try $0.captures.update(passed, from: 0) }
                } == .stale)
            let found = try #require(try await test.store.read { try $0.captures.find(capture.id) })
            #expect(
                found.state == .passed && found.frames == 1 && found.content.shown == [4]
                    && found.tokenHash == [8] && found.run.text == "run_1")
            next.state = end
            next.content = Sensitive([])
            let ended = next
            try await test.store.write { try $0.captures.update(ended, from: 1) }
            next.frames = 2
            let late = next
            #expect(
                await refusal {
                    try await test.store.write { try $0.captures.update(late, from: 1) }
                } == .stale, "a late frame")
            try await test.store.write { try $0.captures.delete(capture.id) }
            #expect(try await test.store.read { try $0.captures.find(capture.id) } == nil)
            #expect(
                await refusal {
                    try await test.store.write { try $0.captures.update(late, from: 2) }
                } == .stale)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a code is accepted once, in time, and within its attempts`(
        kind: StoreKind
    ) async throws {
        let test = try await TestStore(kind), end = Instant.start + .seconds(300)
        try await test.store.write { tables in
            func take(_ hash: [UInt8], at now: Instant = .start) throws -> Bool {
                try tables.codes.take("c", hash: hash, attempts: 3, at: now)
            }
            #expect(try !take([1]), "no such code")
            try tables.codes.put("c", hash: [1], expiresAt: end)
            #expect(try !take([2]) && !take([2]) && take([1]), "the third attempt is the last")
            #expect(try !take([1]), "used up")
            try tables.codes.put("c", hash: [1], expiresAt: end)
            for _ in 0..<3 { #expect(try !take([2])) }
            #expect(try !take([1]), "too many attempts")
            try tables.codes.put("c", hash: [3], expiresAt: end)
            #expect(
                try !take([1]) && take([3]),
                "a replacement code has its own attempts")
            try tables.codes.put("c", hash: [1], expiresAt: end)
            #expect(try !take([1], at: end) && take([1], at: end - .milliseconds(1)))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `of many concurrent correct codes, one is accepted`(kind: StoreKind) async throws {
        let test = try await TestStore(kind)
        try await test.store.write {
            try $0.codes.put("c", hash: [1], expiresAt: .start + .seconds(1))
        }
        let taken = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await test.store.write {
                        try $0.codes.take("c", hash: [1], attempts: 100, at: .start)
                    }
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(taken == 1)
    }

    static func key(_ id: String, expires: Instant) -> SigningKeyRecord {
        SigningKeyRecord(
            id: id, privateKey: Sensitive(Array("private \(id)".utf8)), publicKey: [4],
            createdAt: expires - .seconds(60),
            retiresAt: expires - .seconds(30), expiresAt: expires)
    }

    @Test(arguments: StoreKind.allCases)
    func `signing keys are published until they expire, newest first`(kind: StoreKind)
        async throws
    {
        let test = try await TestStore(kind)
        try await test.store.write { tables in
            for seconds in [60, 120] {
                try tables.signingKeys.insert(
                    Self.key("k\(seconds)", expires: .start + .seconds(seconds)))
            }
            let keys = try tables.signingKeys.current(at: .start + .seconds(59))
            #expect(
                keys.map(\.id) == ["k120", "k60"]
                    && keys[1].privateKey.shown == Array("private k60".utf8)
                    && keys[1].publicKey == [4])
            #expect(
                keys[0].retiresAt == .start + .seconds(90)
                    && keys[0].createdAt == .start + .seconds(60))
            #expect(try tables.signingKeys.current(at: .start + .seconds(60)).map(\.id) == ["k120"])
        }
    }
}
