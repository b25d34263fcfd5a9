import BelfryModel
import BelfryRules
import Foundation

/// The SDK: one object that an app makes, keeps and starts.
///
/// ```swift
/// let configuration = try BelfryConfiguration(appCode: "shop", serverURL: server, directory: directory)
/// let client = try BelfryClient(configuration: configuration, platform: platform)
/// try await client.start()
/// try await client.track("cart:add", attributes: ["sku": "42"])
/// ```
///
/// There is no shared instance: the app owns the client. Every call returns after its effect is durable on the device
/// and before anything is sent; the client sends by itself, in order, one request at a time. Calls that reach the
/// storage throw ``BelfryError/Code/storageUnavailable`` when it fails and ``BelfryError/Code/stopped`` after ``stop()``.
public final class BelfryClient: Sendable {
    /// What the app's developer should know and no call could return. Each access is a listener of its own; all hear of
    /// what comes, and the newest hundred wait for the first one. The streams end with ``stop()``.
    public var reports: AsyncStream<ClientReport> { engine.reporter.listen() }

    let engine: SyncEngine
    let recorder: EventRecorder
    /// What the app forwards without waiting for it.
    let forwarded = OrderedWork()
    private let loop = Locked<Task<Void, Never>?>(nil)

    /// Makes a client. It locks the storage directory and does nothing else yet.
    ///
    /// - Parameters:
    ///   - configuration: which app and server, where to store, and the limits.
    ///   - platform: the device; ``HeadlessPlatform`` where there is no screen.
    ///   - transport: carries the requests.
    ///   - environment: time, chance and ids.
    /// - Throws: ``BelfryError/Code/invalidConfiguration``, or ``BelfryError/Code/directoryInUse`` when another client
    ///   uses the directory.
    public init(
        configuration: BelfryConfiguration,
        platform: any DevicePlatform,
        transport: any Transport,
        environment: DeviceEnvironment
    ) throws(BelfryError) {
        try configuration.validate()
        let storage = try DeviceStorage(
            configuration: configuration,
            makeUUID: environment.makeUUID,
            probe: environment.storeProbe
        )
        recorder = EventRecorder(
            storage: storage,
            uploads: configuration.uploads,
            environment: environment,
            waker: Waker(),
            reporter: ClientReporter()
        )
        engine = SyncEngine(
            configuration: configuration,
            platform: platform,
            transport: transport,
            environment: environment,
            recorder: recorder
        )
    }

    deinit {
        loop.withLock { $0 }?.cancel()
    }
}

// MARK: - Life

extension BelfryClient {
    /// Starts the client; does nothing when it runs already. The backlog of events is not read. While a device keeps its
    /// files closed, until its first unlock, it throws ``BelfryError/Code/storageUnavailable``: call it again later.
    ///
    /// After ``wipe()`` it starts as a new installation. When the server erased the person it stays quiet, and
    /// ``ClientReport/erased`` tells so, at every launch until the app asks for a new start (REG-36).
    ///
    /// - Parameter afterErasure: starts as a new installation although the person was erased: for an app whose user, or
    ///   its next one, wants to go on. Do not say it at every launch.
    public func start(afterErasure: Bool = false) async throws(BelfryError) {
        guard try await engine.begin(afterErasure: afterErasure) else { return }
        loop.withLock { [engine] loop in
            if loop == nil { loop = Task { await engine.run() } }
        }
    }

    /// Stops the client and lets go of its directory. What is queued stays for the next client.
    public func stop() async {
        let running = loop.withLock { loop in
            defer { loop = nil }
            return loop
        }
        if let running {
            running.cancel()
            await running.value
        }
        await engine.end()
    }

    /// Sends what waits now rather than later, and returns when everything was sent or what is left has to wait: for
    /// the network, a back-off, or the one registration in a minute.
    public func flush() async throws(BelfryError) {
        try await engine.requestFlush()
        await engine.settled()
    }

    /// The app is shown. Call it where the platform does not tell by itself.
    public func didEnterForeground() async throws(BelfryError) {
        try await engine.becameForeground()
    }

    /// The app is no longer shown: queued events leave, and the session ends if it does not come back soon.
    /// To have them sent before the system suspends the app, `flush()` afterwards in the time that it grants.
    public func didEnterBackground() async throws(BelfryError) {
        try await engine.enteredBackground()
    }

    /// What is pending, what the server accepted last, the last errors and the next attempt, for support (REG-14).
    public func state() async throws(BelfryError) -> ClientState {
        try await engine.clientState()
    }

    /// Returns when nothing is left to do at once; for tests.
    package func settled() async {
        await engine.settledWholly()
    }
}

// MARK: - Contact

extension BelfryClient {
    /// Links the device to a known contact. Repeated with the same value, as apps do at each start, it changes nothing.
    /// What an anonymous contact left on the device goes on to the known one; when another known contact was named
    /// before, its party identifier, attributes and tags are gone from the device.
    ///
    /// - Parameters:
    ///   - contactKey: unique and not to be guessed; trimmed, 1 to 255 characters.
    ///   - contactField: the field that the key is a value of, when it is not ``BelfryConfiguration/contactField``;
    ///     trimmed, 1 to 255 characters.
    @discardableResult
    public func identify(contactKey: String, contactField: String? = nil) async throws(BelfryError) -> EditResult {
        let key: ContactKey
        var field: ContactField?
        do throws(Refusal) {
            key = try ContactKey(contactKey)
            if let contactField { field = try ContactField(contactField) }
        } catch {
            return .refused(error)
        }
        let result = try await engine.identify(key, field: field?.name)
        await engine.clearScreenOfFormer()
        return result
    }

    /// Links the device to the contact that a token of your identity provider proves (ID-3). Call it with the fresh token
    /// at each start: for the same person (issuer and subject) it changes nothing once the link is made.
    ///
    /// Only the server reads the contact key in the token: the record has none, and a key that was set before goes. The
    /// token is kept until the link is answered and is never logged. A token that the server refuses, because it ended or
    /// is another app's, gives way to an anonymous contact and is reported (``ClientReport/linkRefused(_:)``). What was
    /// held for another known person is gone from the device.
    ///
    /// - Parameter openIDToken: an ID token, trimmed; at most 8,192 bytes.
    @discardableResult
    public func identify(openIDToken: String) async throws(BelfryError) -> EditResult {
        let proof: OpenIDProof
        do throws(Refusal) {
            proof = try OpenIDProof(openIDToken)
        } catch {
            return .refused(error)
        }
        let result = try await engine.identify(proof)
        await engine.clearScreenOfFormer()
        return result
    }

    /// Forgets the person: contact key, party identifier, attributes, tags, badge and the pushes that the system still
    /// shows are gone from the device when it returns. A fresh anonymous contact is linked as soon as there is a network.
    /// Queued events keep their owner (ID-4), and a login that no network let through is kept until it was told.
    public func logout() async throws(BelfryError) {
        try await engine.logout()
    }

    /// Changes the contact record: all the changes of one call take effect together and cause at most one update.
    ///
    /// ```swift
    /// let result = try await client.edit { record in
    ///     record.addTag("sports")
    ///     return record.setAttribute("city", to: "Paris")
    /// }
    /// ```
    ///
    /// - Returns: what the body returns, such as the ``EditResult`` of a setter.
    @discardableResult
    public func edit<Output: Sendable>(
        _ body: @Sendable (inout RecordEdit) -> Output
    ) async throws(BelfryError) -> Output {
        let output = try await engine.edit(body)
        await engine.clearScreenOfFormer()
        return output
    }
}

// MARK: - Events

extension BelfryClient {
    /// Records an event. It is durable when the call returns, in the order of the calls, from the first call on, with or
    /// without a network. It does no work on the main thread (EVT-1).
    ///
    /// - Parameters:
    ///   - name: trimmed, 1 to 128 characters.
    ///   - attributes: at most 64, each with a name; numbers are finite; the event has at most 65,536 bytes as JSON.
    /// - Throws: ``BelfryError/Code/invalidEvent`` naming the limit that it breaks; nothing is recorded then.
    public func track(_ name: String, attributes: [String: AttributeValue] = [:]) async throws(BelfryError) {
        try recorder.track(name, attributes: attributes)
    }
}
