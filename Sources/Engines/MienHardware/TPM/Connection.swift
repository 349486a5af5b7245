internal import MienCore
internal import SystemTSS

/// An open connection to a TPM. For one thread at a time. Every operation flushes all objects and
/// sessions it creates before it returns.
@safe final class Connection {
    private var transport: OpaquePointer?
    private(set) var context: OpaquePointer?
    /// The TPM did not answer, or something could not be flushed. Open a new connection.
    private(set) var isBroken = false

    /// - Parameter address: `name:settings`, in the syntax of tss2-tctildr.
    init(address: String) throws(TPMError) {
        let doing = "opening the TPM at \(address)"
        let opened = unsafe Tss2_TctiLdr_Initialize(address, &transport)
        guard opened == TSS2_RC_SUCCESS else { throw Response(opened).error(.unreachable, doing) }
        let made = unsafe Esys_Initialize(&context, transport, nil)
        guard made == TSS2_RC_SUCCESS else { throw Response(made).error(.unreachable, doing) }
    }

    deinit {
        if unsafe context != nil { unsafe Esys_Finalize(&context) }
        if unsafe transport != nil { unsafe Tss2_TctiLdr_Finalize(&transport) }
    }

    /// Marks the connection as broken when the transport fails.
    func noting<T>(_ body: () throws(TPMError) -> T) throws(TPMError) -> T {
        do { return try body() } catch {
            if error.code == .unreachable { isBroken = true }
            throw error
        }
    }

    // MARK: Handles

    private func withHandle<T>(_ handle: ESYS_TR, _ body: (ESYS_TR) throws(TPMError) -> T)
        throws(TPMError) -> T
    {
        // Objects that cannot be flushed end with the connection, if a resource manager tracks
        // them.
        defer {
            if unsafe Esys_FlushContext(context, handle) != TSS2_RC_SUCCESS { isBroken = true }
        }
        return try body(handle)
    }

    func withStorageKey<T>(_ body: (ESYS_TR) throws(TPMError) -> T) throws(TPMError) -> T {
        let doing = "making the storage key"
        var template = try Self.public(Template.storageKey), nothing = TPM2B_SENSITIVE_CREATE(),
            outside = TPM2B_DATA()
        var registers = TPML_PCR_SELECTION(), handle: ESYS_TR = 0
        nothing.size = UInt16(MemoryLayout<TPMS_SENSITIVE_CREATE>.size)
        let status = unsafe Esys_CreatePrimary(
            context, ESYS_TR(ESYS_TR_RH_OWNER), ESYS_TR(ESYS_TR_PASSWORD), ESYS_TR(ESYS_TR_NONE),
            ESYS_TR(ESYS_TR_NONE), &nothing, &template,
            &outside, &registers, &handle, nil, nil, nil, nil)
        let response = Response(status)
        if response.isWrongAuth {
            throw response.error(
                .ownerAuth, "\(doing): the TPM's owner hierarchy must have no password")
        }
        try checked(status, doing)
        return try withHandle(handle, body)
    }

    enum Flow {
        case none, toTPM, fromTPM, both

        var attributes: UInt8 {
            // continueSession: we always end the session ourselves. decrypt: first parameter to the
            // TPM. encrypt: first parameter from the TPM.
            switch self {
            case .none: 0x01
            case .toTPM: 0x21
            case .fromTPM: 0x41
            case .both: 0x61
            }
        }
    }

    enum SessionKind: UInt8 {
        case hmac = 0x00, policy = 0x01, trial = 0x03
    }

    /// Runs `body` in a session salted with a secret that only the TPM can decrypt. An eavesdropper
    /// on the bus cannot read the parameters that the session encrypts.
    func withSession<T>(
        _ kind: SessionKind = .hmac, salt: ESYS_TR, _ flow: Flow,
        _ body: (ESYS_TR) throws(TPMError) -> T
    ) throws(TPMError) -> T {
        let doing = "starting a session"
        var symmetric = TPMT_SYM_DEF(), session: ESYS_TR = 0
        symmetric.algorithm = 0x0006
        unsafe symmetric.keyBits.aes = 128
        unsafe symmetric.mode.aes = 0x0043
        try checked(
            unsafe Esys_StartAuthSession(
                context, salt, ESYS_TR(ESYS_TR_NONE), ESYS_TR(ESYS_TR_NONE), ESYS_TR(ESYS_TR_NONE),
                ESYS_TR(ESYS_TR_NONE), nil, kind.rawValue,
                &symmetric, 0x000B, &session), doing)
        return try withHandle(session) { session throws(TPMError) in
            try checked(
                unsafe Esys_TRSess_SetAttributes(context, session, flow.attributes, 0xFF), doing)
            return try body(session)
        }
    }

    // MARK: Objects

    private func create(
        _ area: [UInt8], auth: Auth, data: Sensitive<[UInt8]>, doing: String, under parent: ESYS_TR
    ) throws(TPMError) -> TPMBlob {
        var template = try Self.public(area), outside = TPM2B_DATA(),
            registers = TPML_PCR_SELECTION()
        var secret = TPM2B_SENSITIVE_CREATE()
        defer { wipe(&secret) }
        secret.size = UInt16(MemoryLayout<TPMS_SENSITIVE_CREATE>.size)
        auth.lend { secret.sensitive.userAuth = $0 }
        data.use { data in
            secret.sensitive.data.size = UInt16(data.count)
            unsafe withUnsafeMutableBytes(of: &secret.sensitive.data.buffer) {
                unsafe $0.copyBytes(from: data)
            }
        }
        return try withSession(salt: parent, .both) { session throws(TPMError) in
            var privateArea: UnsafeMutablePointer<TPM2B_PRIVATE>?,
                publicArea: UnsafeMutablePointer<TPM2B_PUBLIC>?
            defer {
                unsafe Esys_Free(privateArea)
                unsafe Esys_Free(publicArea)
            }
            let status = unsafe Esys_Create(
                context, parent, session, ESYS_TR(ESYS_TR_NONE), ESYS_TR(ESYS_TR_NONE), &secret,
                &template, &outside, &registers, &privateArea,
                &publicArea, nil, nil, nil)
            try checked(status, doing)
            guard let privateArea = unsafe privateArea, let publicArea = unsafe publicArea else {
                throw TPMError(.failed, "\(doing): the library returned no object")
            }
            let written = unsafe try Self.bytes(publicArea, Tss2_MU_TPM2B_PUBLIC_Marshal)
            let wrapped = unsafe try Self.bytes(privateArea, Tss2_MU_TPM2B_PRIVATE_Marshal)
            return TPMBlob(
                publicArea: Array(written.dropFirst(2)), privateArea: Array(wrapped.dropFirst(2)),
                registers: nil)
        }
    }

    private func withLoaded<T>(
        _ blob: TPMBlob, auth: Auth, under parent: ESYS_TR, _ body: (ESYS_TR) throws(TPMError) -> T
    ) throws(TPMError) -> T {
        let doing = "loading a blob"
        var publicArea = try Self.public(blob.publicArea), privateArea = TPM2B_PRIVATE(),
            handle: ESYS_TR = 0, offset = 0
        let wrapped = Self.sized(blob.privateArea)
        guard
            unsafe Tss2_MU_TPM2B_PRIVATE_Unmarshal(wrapped, wrapped.count, &offset, &privateArea)
                == TSS2_RC_SUCCESS
        else {
            throw TPMError(
                .blobRefused,
                "\(doing): its private area has too many bytes (\(blob.privateArea.count))")
        }
        let status = unsafe Esys_Load(
            context, parent, ESYS_TR(ESYS_TR_PASSWORD), ESYS_TR(ESYS_TR_NONE),
            ESYS_TR(ESYS_TR_NONE), &privateArea, &publicArea, &handle)
        if Response(status).isAboutInput {
            throw Response(status).error(
                .blobRefused, "\(doing): the blob was changed or made by another TPM")
        }
        try checked(status, doing)
        return try withHandle(handle) { handle throws(TPMError) in
            let set = auth.lend { unsafe Esys_TR_SetAuth(context, handle, &$0) }
            try checked(set, doing)
            return try body(handle)
        }
    }

    /// Throws the error for a response to the use of an auth value.
    static func judge(_ status: TSS2_RC, _ doing: String) throws(TPMError) {
        let response = Response(status)
        if response.isWrongAuth { throw response.error(.wrongAuth, doing) }
        if response.isPolicyFailure {
            throw response.error(.policyNotMet, "\(doing): the registers have changed")
        }
        try checked(status, doing)
    }

    // MARK: Verbs

    func makeSigningKey(auth: Auth) throws(TPMError) -> TPMSigningKey {
        let doing = "making a signing key"
        return try withStorageKey { parent throws(TPMError) in
            let blob = try create(
                Template.signingKey, auth: auth, data: Sensitive([]), doing: doing, under: parent)
            guard let point = Template.point(of: blob.publicArea) else {
                throw TPMError(.failed, "\(doing): the TPM returned another kind of key")
            }
            return TPMSigningKey(blob: blob, publicKey: point)
        }
    }

    func sign(digest: [UInt8], blob: TPMBlob, auth: Auth) throws(TPMError) -> [UInt8] {
        let doing = "signing"
        guard Template.point(of: blob.publicArea) != nil, blob.registers == nil else {
            throw TPMError(.blobRefused, "\(doing): the blob is not a P-256 signing key")
        }
        return try withStorageKey { parent throws(TPMError) in
            try withLoaded(blob, auth: auth, under: parent) { key throws(TPMError) in
                try withSession(salt: parent, .toTPM) { session throws(TPMError) in
                    var hash = TPM2B_DIGEST(digest), scheme = TPMT_SIG_SCHEME(),
                        ticket = TPMT_TK_HASHCHECK()
                    var signature: UnsafeMutablePointer<TPMT_SIGNATURE>?
                    defer { unsafe Esys_Free(signature) }
                    scheme.scheme = 0x0010  // the key's own scheme
                    ticket.tag = 0x8024
                    ticket.hierarchy = 0x4000_0007
                    try Self.judge(
                        unsafe Esys_Sign(
                            context, key, session, ESYS_TR(ESYS_TR_NONE), ESYS_TR(ESYS_TR_NONE),
                            &hash, &scheme, &ticket, &signature), doing)
                    guard let made = unsafe signature,
                        let bytes = Template.signature(
                            unsafe try Self.bytes(made, Tss2_MU_TPMT_SIGNATURE_Marshal))
                    else {
                        throw TPMError(
                            .failed, "\(doing): the TPM returned another kind of signature")
                    }
                    return bytes
                }
            }
        }
    }

    func seal(_ data: Sensitive<[UInt8]>, auth: Auth, registers: PCRSelection?) throws(TPMError)
        -> TPMBlob
    {
        try withStorageKey { parent throws(TPMError) in
            let policy =
                try registers.map { (registers) throws(TPMError) in
                    try policyDigest(registers, salt: parent)
                } ?? []
            let blob = try create(
                Template.sealed(policy: policy), auth: auth, data: data, doing: "sealing",
                under: parent)
            return TPMBlob(
                publicArea: blob.publicArea, privateArea: blob.privateArea, registers: registers)
        }
    }

    func unseal(_ blob: TPMBlob, auth: Auth) throws(TPMError) -> Sensitive<[UInt8]> {
        let doing = "unsealing"
        guard Template.isSealed(blob.publicArea, hasPolicy: blob.registers != nil) else {
            throw TPMError(
                .blobRefused,
                "\(doing): the blob is not sealed data, or its registers contradict its public area"
            )
        }
        return try withStorageKey { parent throws(TPMError) in
            try withLoaded(blob, auth: auth, under: parent) { item throws(TPMError) in
                try withSession(blob.registers == nil ? .hmac : .policy, salt: parent, .fromTPM) {
                    session throws(TPMError) in
                    if let registers = blob.registers { try assert(registers, in: session) }
                    var data: UnsafeMutablePointer<TPM2B_SENSITIVE_DATA>?
                    defer {
                        if let data = unsafe data { unsafe wipe(&data.pointee) }
                        unsafe Esys_Free(data)
                    }
                    try Self.judge(
                        unsafe Esys_Unseal(
                            context, item, session, ESYS_TR(ESYS_TR_NONE), ESYS_TR(ESYS_TR_NONE),
                            &data), doing)
                    guard let data = unsafe data else {
                        throw TPMError(.failed, "\(doing): the library returned no data")
                    }
                    let count = Int(unsafe data.pointee.size)
                    return unsafe withUnsafeBytes(of: &data.pointee.buffer) {
                        unsafe Sensitive(Array($0.prefix(count)))
                    }
                }
            }
        }
    }

    private func assert(_ registers: PCRSelection, in session: ESYS_TR) throws(TPMError) {
        let doing = "stating a policy"
        var wire = TPMWire(), selection = TPML_PCR_SELECTION(), offset = 0
        wire.put(long: 1)
        wire.put(0x000B)
        wire.put([3] + registers.mask)
        try checked(
            unsafe Tss2_MU_TPML_PCR_SELECTION_Unmarshal(
                wire.bytes, wire.bytes.count, &offset, &selection), doing)
        let none = ESYS_TR(ESYS_TR_NONE)
        // Without a digest, the policy uses the registers' current values.
        var digest = TPM2B_DIGEST()
        try checked(
            unsafe Esys_PolicyPCR(context, session, none, none, none, &digest, &selection), doing)
        try checked(unsafe Esys_PolicyAuthValue(context, session, none, none, none), doing)
    }

    private func policyDigest(_ registers: PCRSelection, salt: ESYS_TR) throws(TPMError) -> [UInt8]
    {
        try withSession(.trial, salt: salt, .none) { session throws(TPMError) in
            try assert(registers, in: session)
            var digest: UnsafeMutablePointer<TPM2B_DIGEST>?
            defer { unsafe Esys_Free(digest) }
            let none = ESYS_TR(ESYS_TR_NONE)
            try checked(
                unsafe Esys_PolicyGetDigest(context, session, none, none, none, &digest),
                "reading a policy's digest")
            guard let digest = unsafe digest else {
                throw TPMError(.failed, "reading a policy's digest: the library returned none")
            }
            return Array(unsafe try Self.bytes(digest, Tss2_MU_TPM2B_DIGEST_Marshal).dropFirst(2))
        }
    }

    func random(_ count: Int) throws(TPMError) -> [UInt8] {
        var bytes: [UInt8] = []
        let none = ESYS_TR(ESYS_TR_NONE)
        while bytes.count < count {
            var some: UnsafeMutablePointer<TPM2B_DIGEST>?
            defer { unsafe Esys_Free(some) }
            try checked(
                unsafe Esys_GetRandom(
                    context, none, none, none, UInt16(min(32, count - bytes.count)), &some),
                "drawing random bytes")
            guard let some = unsafe some, unsafe some.pointee.size > 0 else {
                throw TPMError(.failed, "the TPM returned no random bytes")
            }
            bytes += unsafe try Self.bytes(some, Tss2_MU_TPM2B_DIGEST_Marshal).dropFirst(2)
        }
        return Array(bytes.prefix(count))
    }

    func lockout() throws(TPMError) -> TPMLockout {
        // TPM_PT_PERMANENT; TPM_PT_LOCKOUT_COUNTER and the three that follow it.
        let permanent = try properties(from: 0x200, count: 1),
            rest = try properties(from: 0x20E, count: 4)
        guard let flags = permanent[0x200], let failures = rest[0x20E], let maxTries = rest[0x20F],
            let interval = rest[0x210]
        else {
            throw TPMError(.failed, "the TPM did not report its lockout counters")
        }
        return TPMLockout(
            isLockedOut: flags & 0x200 != 0,
            triesLeft: Int(maxTries) - min(Int(failures), Int(maxTries)),
            tries: Int(maxTries), secondsPerTry: Int(interval))
    }

    func extend(_ register: UInt32, with digest: [UInt8]) throws(TPMError) {
        var wire = TPMWire(), values = TPML_DIGEST_VALUES(), offset = 0
        wire.put(long: 1)
        wire.put(0x000B)
        wire.put(digest)
        let doing = "extending register \(register)", none = ESYS_TR(ESYS_TR_NONE)
        try checked(
            unsafe Tss2_MU_TPML_DIGEST_VALUES_Unmarshal(
                wire.bytes, wire.bytes.count, &offset, &values), doing)
        try checked(
            unsafe Esys_PCR_Extend(
                context, register, ESYS_TR(ESYS_TR_PASSWORD), none, none, &values), doing)
    }

    /// Returns the number of transient objects and sessions that the TPM holds for this connection.
    func handleCount() throws(TPMError) -> Int {
        var sum = 0
        for first in [UInt32(0x8000_0000), 0x0200_0000] {
            var reader = TPMReader(try capability(0x0000_0001, from: first, count: 254))
            guard reader.long() == 1, let count = reader.long() else {
                throw TPMError(.failed, "the TPM did not report its handles")
            }
            sum += Int(count)
        }
        return sum
    }

    private func properties(from first: UInt32, count: UInt32) throws(TPMError) -> [UInt32: UInt32]
    {
        var reader = TPMReader(try capability(0x0000_0006, from: first, count: count)),
            found: [UInt32: UInt32] = [:]
        guard reader.long() == 6, reader.long() != nil else {
            throw TPMError(.failed, "the TPM did not report its properties")
        }
        while let property = reader.long(), let value = reader.long() { found[property] = value }
        return found
    }

    func capability(_ kind: UInt32, from first: UInt32, count: UInt32) throws(TPMError) -> [UInt8] {
        var data: UnsafeMutablePointer<TPMS_CAPABILITY_DATA>?, hasMore: TPMI_YES_NO = 0
        defer { unsafe Esys_Free(data) }
        let none = ESYS_TR(ESYS_TR_NONE)
        try checked(
            unsafe Esys_GetCapability(
                context, none, none, none, kind, first, count, &hasMore, &data),
            "requesting capabilities")
        guard let data = unsafe data else {
            throw TPMError(.failed, "requesting capabilities: the library returned none")
        }
        return unsafe try Self.bytes(data, Tss2_MU_TPMS_CAPABILITY_DATA_Marshal)
    }

    // MARK: Between bytes and the library's structures

    private static func sized(_ bytes: [UInt8]) -> [UInt8] {
        var wire = TPMWire()
        wire.put(sized: bytes)
        return wire.bytes
    }

    private static func `public`(_ area: [UInt8]) throws(TPMError) -> TPM2B_PUBLIC {
        var value = TPM2B_PUBLIC(), offset = 0
        let bytes = sized(area)
        let status = unsafe Tss2_MU_TPM2B_PUBLIC_Unmarshal(bytes, bytes.count, &offset, &value)
        guard status == TSS2_RC_SUCCESS, offset == bytes.count else {
            throw Response(status).error(
                .blobRefused, "reading a public area of \(area.count) bytes")
        }
        return value
    }

    private typealias Marshal<T> = (
        UnsafePointer<T>?, UnsafeMutablePointer<UInt8>?, Int, UnsafeMutablePointer<Int>?
    ) -> TSS2_RC

    @unsafe private static func bytes<T>(_ value: UnsafePointer<T>, _ marshal: Marshal<T>)
        throws(TPMError) -> [UInt8]
    {
        var bytes = [UInt8](repeating: 0, count: 4096), count = 0
        let status = unsafe marshal(value, &bytes, bytes.count, &count)
        try checked(status, "reading the library's answer")
        return Array(bytes.prefix(count))
    }
}
