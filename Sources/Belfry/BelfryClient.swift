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

    let engine: DeviceEngine
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
        let context = DeviceContext(
            configuration: configuration, platform: platform, environment: environment, recorder: recorder
        )
        engine = DeviceEngine(context: context, transport: transport)
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
        guard try await engine.lifecycle.begin(afterErasure: afterErasure) else { return }
        loop.withLock { [engine] loop in
            if loop == nil { loop = Task { await SyncLoop.run(on: engine) } }
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
        try await engine.lifecycle.requestFlush()
        await engine.settled()
    }

    /// The app is shown. Call it where the platform does not tell by itself.
    public func didEnterForeground() async throws(BelfryError) {
        try await engine.lifecycle.becameForeground()
    }

    /// The app is no longer shown: queued events leave, and the session ends if it does not come back soon.
    /// To have them sent before the system suspends the app, `flush()` afterwards in the time that it grants.
    public func didEnterBackground() async throws(BelfryError) {
        try await engine.lifecycle.enteredBackground()
    }

    /// What is pending, what the server accepted last, the last errors and the next attempt, for support (REG-14).
    public func state() async throws(BelfryError) -> ClientState {
        try await engine.look { step throws(BelfryError) in try ClientState(&step) }
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
        return try await engine.contact.identify(key, field: field?.name)
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
        return try await engine.contact.identify(proof)
    }

    /// Forgets the person: contact key, party identifier, attributes, tags, badge and the pushes that the system still
    /// shows are gone from the device when it returns. A fresh anonymous contact is linked as soon as there is a network.
    /// Queued events keep their owner (ID-4), and a login that no network let through is kept until it was told.
    public func logout() async throws(BelfryError) {
        try await engine.contact.logout()
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
        try await engine.contact.edit(body)
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

// What the person allows, and what the device forgets (REG-36).
extension BelfryClient {
    /// Whether events are recorded; by default they are. Call it before ``start(afterErasure:)`` when the person was
    /// not asked yet.
    ///
    /// A no stops all events, tracked ones and the SDK's own, and removes those that wait before it returns; a batch that
    /// is on its way at that moment may still arrive. Calls that record return as usual. The contact record is still
    /// registered and pushes still come and are shown: who does not want those sets `record.setPushEnabled(false)`, or
    /// logs out.
    ///
    /// The choice is stored, and outlasts ``wipe()``.
    public func setTrackingEnabled(_ isEnabled: Bool) async throws(BelfryError) {
        try await engine.privacy.setTracking(isEnabled)
    }

    /// Forgets everything on this device before it returns: queue, contact record, tokens, identity, the pushes seen,
    /// those that the system still shows, and the installation's id. Only a no to ``setTrackingEnabled(_:)`` stays.
    ///
    /// Then the client rests: it takes, records and sends nothing, setters are refused with the code `wiped`, and its
    /// pushes are dropped. ``start(afterErasure:)`` makes it a new installation; what the app said before, such as the
    /// contact and the push token, is to be said again.
    ///
    /// The server is not told: it keeps what it has, and pushes for the former installation until the new one registers
    /// the push token. Log out and `flush()` first where that matters.
    public func wipe() async throws(BelfryError) {
        try await engine.privacy.wipe()
    }
}
