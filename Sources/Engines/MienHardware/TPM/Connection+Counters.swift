internal import MienCore
internal import SystemTSS

/// Counters that only increase. Source: TPM 2.0 Library part 3, 31 "Non-volatile Storage"; part 2,
/// 13.4 "TPMA_NV".
extension Connection {
    /// A counter (TPM_NT 1), used with its auth value and outside the dictionary-attack limit,
    /// because 32 random bytes cannot be guessed.
    private static let attributes: UInt32 = 1 << 2 | 1 << 4 | 1 << 18 | 1 << 25
    /// TPM_RC_NV_DEFINED.
    private static let isDefined: UInt32 = 0x14C
    private static let tries = 8
    private static let owner = ESYS_TR(ESYS_TR_RH_OWNER), none = ESYS_TR(ESYS_TR_NONE)

    func makeCounter(auth: Auth, at requested: UInt32?) throws(TPMError) -> TPMCounter {
        let doing = "making a counter"
        return try withStorageKey { parent throws(TPMError) in
            if let requested {
                if let value = try increment(counter: requested, auth: auth, under: parent) {
                    return TPMCounter(index: requested, value: value)
                }
                _ = try define(requested, auth, under: parent, doing)
                guard let value = try increment(counter: requested, auth: auth, under: parent)
                else {
                    throw TPMError(.failed, "\(doing): another program removed it")
                }
                return TPMCounter(index: requested, value: value)
            }
            for _ in 0..<Self.tries {
                guard
                    let index = try define(
                        UInt32.random(in: TPMCounter.indices), auth, under: parent, doing)
                else { continue }
                guard let value = try increment(counter: index, auth: auth, under: parent) else {
                    break
                }
                return TPMCounter(index: index, value: value)
            }
            throw TPMError(.failed, "\(doing): no free index was found")
        }
    }

    /// - Returns: `nil` when the index is in use.
    private func define(_ index: UInt32, _ auth: Auth, under parent: ESYS_TR, _ doing: String)
        throws(TPMError) -> UInt32?
    {
        var area = TPM2B_NV_PUBLIC()
        area.nvPublic.nvIndex = index
        area.nvPublic.nameAlg = 0x000B
        area.nvPublic.attributes = Self.attributes
        area.nvPublic.dataSize = 8
        // The auth value is the first parameter of this command, so it is encrypted.
        return try withSession(salt: parent, .toTPM) { session throws(TPMError) in
            var handle: ESYS_TR = 0
            let status = auth.lend {
                unsafe Esys_NV_DefineSpace(
                    context, Self.owner, session, Self.none, Self.none, &$0, &area, &handle)
            }
            if Response(status).isFromTPM, status & 0xFFFF == Self.isDefined { return nil }
            try checked(status, doing)
            unsafe Esys_TR_Close(context, &handle)
            return index
        }
    }

    func value(ofCounter index: UInt32, auth: Auth) throws(TPMError) -> UInt64? {
        try withStorageKey { parent throws(TPMError) in
            try withCounter(index, auth, under: parent) { counter, session throws(TPMError) in
                try read(counter, session)
            }
        }
    }

    func increment(counter index: UInt32, auth: Auth) throws(TPMError) -> UInt64? {
        try withStorageKey { parent throws(TPMError) in
            try increment(counter: index, auth: auth, under: parent)
        }
    }

    private func increment(counter index: UInt32, auth: Auth, under parent: ESYS_TR)
        throws(TPMError) -> UInt64?
    {
        try withCounter(index, auth, under: parent) { counter, session throws(TPMError) in
            try Self.judge(
                unsafe Esys_NV_Increment(context, counter, counter, session, Self.none, Self.none),
                "counting up")
            return try read(counter, session)
        }
    }

    /// Returns all indices. One response can report more than the TPM has room for.
    func counterIndices() throws(TPMError) -> [UInt32] {
        var
            reader = TPMReader(
                try capability(0x0000_0001, from: TPMCounter.indices.lowerBound, count: 254)),
            found: [UInt32] = []
        guard reader.long() == 1, reader.long() != nil else {
            throw TPMError(.failed, "the TPM did not report its counters")
        }
        while let index = reader.long() { found.append(index) }
        return found.filter { TPMCounter.indices.contains($0) }
    }

    func removeCounter(_ index: UInt32) throws(TPMError) -> Bool {
        guard var counter = try handle(of: index) else { return false }
        let status = unsafe Esys_NV_UndefineSpace(
            context, Self.owner, counter, ESYS_TR(ESYS_TR_PASSWORD), Self.none, Self.none)
        guard status == TSS2_RC_SUCCESS else {
            unsafe Esys_TR_Close(context, &counter)
            throw Response(status).plainError("removing a counter")
        }
        return true
    }

    private func withCounter<T>(
        _ index: UInt32, _ auth: Auth, under parent: ESYS_TR,
        _ body: (ESYS_TR, ESYS_TR) throws(TPMError) -> T
    ) throws(TPMError) -> T? {
        guard var counter = try handle(of: index) else { return nil }
        defer { unsafe Esys_TR_Close(context, &counter) }
        try checked(auth.lend { unsafe Esys_TR_SetAuth(context, counter, &$0) }, "using a counter")
        let opened = counter
        return try withSession(salt: parent, .none) { session throws(TPMError) in
            try body(opened, session)
        }
    }

    private func handle(of index: UInt32) throws(TPMError) -> ESYS_TR? {
        guard TPMCounter.indices.contains(index) else {
            throw TPMError(.badArgument, "a counter's index must be one that makeCounter returned")
        }
        var handle: ESYS_TR = 0
        let status = unsafe Esys_TR_FromTPMPublic(
            context, index, Self.none, Self.none, Self.none, &handle)
        if Response(status).isNoHandle { return nil }
        try checked(status, "finding a counter")
        return handle
    }

    private func read(_ counter: ESYS_TR, _ session: ESYS_TR) throws(TPMError) -> UInt64 {
        var data: UnsafeMutablePointer<TPM2B_MAX_NV_BUFFER>?
        defer { unsafe Esys_Free(data) }
        let doing = "reading a counter"
        try Self.judge(
            unsafe Esys_NV_Read(
                context, counter, counter, session, Self.none, Self.none, 8, 0, &data), doing)
        guard let data = unsafe data, unsafe data.pointee.size == 8 else {
            throw TPMError(.failed, "\(doing): its value does not have 8 bytes")
        }
        return unsafe withUnsafeBytes(of: &data.pointee.buffer) {
            unsafe $0.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
}
