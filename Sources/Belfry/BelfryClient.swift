import BelfryModel
import BelfryRules
import Foundation

/// The SDK: one object that an app creates, keeps and starts.
///
/// ```swift
/// let configuration = try BelfryConfiguration(appCode: "shop", serverURL: server, directory: directory)
/// let client = try BelfryClient(configuration: configuration, platform: platform)
/// try await client.start()
/// try await client.track("cart:add", attributes: ["sku": "42"])
/// ```
///
/// There is no shared instance: the app owns the client. Every call returns after its effect is durable on the device
/// and before anything is sent. The client sends by itself, in order, one request at a time. Calls that use the storage
/// throw ``BelfryError/Code/storageUnavailable`` when it fails and ``BelfryError/Code/stopped`` after ``stop()``.
public final class BelfryClient: Sendable {
    /// Reports for the app's developer that no call could return. Each access creates a stream of its own; all get the
    /// coming reports, and the first one also gets the newest hundred from before. The streams end with ``stop()``.
    public var reports: AsyncStream<ClientReport> { engine.reporter.listen() }

    let engine: DeviceEngine
    let recorder: EventRecorder
    /// Calls of the app that it does not wait for.
    let forwarded = OrderedWork()
    private let loop = Locked<Task<Void, Never>?>(nil)

    /// Creates a client. It locks the storage directory and does nothing else yet.
    ///
    /// - Parameters:
    ///   - configuration: the app, the server, where to store, and the limits.
    ///   - platform: the device; ``HeadlessPlatform`` where there is no screen.
    ///   - transport: sends the requests.
    ///   - environment: time, randomness and ids.
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
            signal: LoopSignal(),
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

// MARK: - Life cycle

extension BelfryClient {
    /// Starts the client; does nothing when it is already running. The backlog of events is not read. Before the first
    /// unlock of a device, its files are not accessible, and it throws ``BelfryError/Code/storageUnavailable``: call it
    /// again later.
    ///
    /// After ``wipe()`` it starts as a new installation. When the server erased the person, it stays suspended and
    /// reports ``ClientReport/erased`` at every launch, until the app asks for a new start (REG-36).
    ///
    /// - Parameter afterErasure: start as a new installation although the person was erased, when the user, or the next
    ///   one, wants to continue. Do not pass it at every launch.
    public func start(afterErasure: Bool = false) async throws(BelfryError) {
        guard try await engine.lifecycle.begin(afterErasure: afterErasure) else { return }
        loop.withLock { [engine] loop in
            if loop == nil { loop = Task { await SyncLoop.run(on: engine) } }
        }
    }

    /// Stops the client and releases its directory. Queued events stay for the next client.
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

    /// Sends everything that is waiting now. It returns when it is sent or must wait: for the network, a back-off, or
    /// the limit of one registration per minute.
    public func flush() async throws(BelfryError) {
        try await engine.lifecycle.requestFlush()
        await engine.waitUntilIdle()
    }

    /// Call it when the app is shown, on platforms that do not report this by themselves.
    public func didEnterForeground() async throws(BelfryError) {
        try await engine.lifecycle.becameForeground()
    }

    /// Call it when the app is no longer shown: queued events are sent, and the session ends if the app does not come
    /// back soon. To have them sent before the system suspends the app, call `flush()` in the time that it grants.
    public func didEnterBackground() async throws(BelfryError) {
        try await engine.lifecycle.enteredBackground()
    }

    /// The pending work, what the server accepted last, the last errors and the next attempt, for support (REG-14).
    public func state() async throws(BelfryError) -> ClientState {
        try await engine.read { step throws(BelfryError) in try ClientState(&step) }
    }

    /// Returns when there is nothing to do at the moment; for tests.
    package func waitUntilIdle() async {
        await engine.waitUntilIdleWithPresentations()
    }
}

// MARK: - Contact

extension BelfryClient {
    /// Links the device to a known contact. With the same value as before, as apps pass it at each start, it changes
    /// nothing. The data of an anonymous contact on the device goes to the known one. If another known contact was set
    /// before, its party identifier, attributes and tags are removed from the device.
    ///
    /// - Parameters:
    ///   - contactKey: unique and not to be guessed; trimmed, 1 to 255 characters.
    ///   - contactField: the field of the key, when it is not ``BelfryConfiguration/contactField``;
    ///     trimmed, 1 to 255 characters. Equal keys of two fields are two contacts, if the app's server setting
    ///     `contactField` says which field is its own.
    @discardableResult
    public func identify(contactKey: String, contactField: String? = nil) async throws(BelfryError) -> EditResult {
        let key: ContactKey
        var field: ContactField?
        do throws(ValueError) {
            key = try ContactKey(contactKey)
            if let contactField { field = try ContactField(contactField) }
        } catch {
            return engine.contact.rejected(error)
        }
        return try await engine.contact.identify(key, field: field?.name)
    }

    /// Links the device to the contact that a party identifier of your customer data platform names (ID-9): a known one,
    /// or a new one. With the same identifier as before it changes nothing. It is a name space of its own: a contact key
    /// with the same text is another contact, and the record has no contact key then. An app whose setting `identity` is
    /// `verified` refuses it, and so does the server; the refusal is reported (``ClientReport/linkRefused(_:)``).
    ///
    /// - Parameter partyIdentifier: not to be guessed; each part is trimmed and has 1 to 255 characters.
    @discardableResult
    public func identify(partyIdentifier: PartyIdentifier) async throws(BelfryError) -> EditResult {
        let party: PartyIdentifier
        do throws(ValueError) {
            party = try partyIdentifier.parsed()
        } catch {
            return engine.contact.rejected(error)
        }
        return try await engine.contact.identify(party)
    }

    /// Links the device to the contact that a token of your identity provider proves (ID-3). Call it with the fresh
    /// token at each start: for the same person (issuer and subject) it changes nothing once the link is made.
    ///
    /// Only the server reads the contact key in the token: the record has none, and a key that was set before is
    /// removed. The token is kept until the server responds to the link, and is never logged. If the server rejects the
    /// token, because it has expired or is for another app, the device gets an anonymous contact, and the rejection is
    /// reported (``ClientReport/linkRefused(_:)``). Data of another known person is removed from the device.
    ///
    /// - Parameter openIDToken: an ID token, trimmed; at most 8,192 bytes.
    @discardableResult
    public func identify(openIDToken: String) async throws(BelfryError) -> EditResult {
        let proof: OpenIDProof
        do throws(ValueError) {
            proof = try OpenIDProof(openIDToken)
        } catch {
            return engine.contact.rejected(error)
        }
        return try await engine.contact.identify(proof)
    }

    /// Removes the person from the device: contact key, party identifier, attributes, tags, badge and the pushes that
    /// the system still shows are gone when it returns. A new anonymous contact is linked as soon as there is a
    /// network. Queued events keep their owner (ID-4), and a login that could not be sent yet is kept until it was.
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
    /// A setter whose value is refused changes nothing. The reason is in its ``EditResult``, and in
    /// ``ClientReport/editRefused(_:)`` for an app that discards it.
    ///
    /// - Returns: the result of the body, such as the ``EditResult`` of a setter.
    @discardableResult
    public func edit<Output: Sendable>(
        _ body: @Sendable (inout RecordEdit) -> Output
    ) async throws(BelfryError) -> Output {
        try await engine.contact.edit(body)
    }
}

extension BelfryClient {
    /// Reads the contact record as the app has set it, before the start, too, and without a network.
    public func record() async throws(BelfryError) -> RecordValues {
        try await engine.contact.record()
    }
}

// MARK: - Events

extension BelfryClient {
    /// Records an event. It is durable when the call returns, in the order of the calls, from the first call on, with
    /// or without a network. It does no work on the main thread (EVT-1).
    ///
    /// - Parameters:
    ///   - name: trimmed, 1 to 128 characters.
    ///   - attributes: at most 64, each with a name; numbers are finite, and no text contains the null character; the
    ///     event has at most 65,536 bytes as JSON.
    /// - Throws: ``BelfryError/Code/invalidEvent`` with the limit that is exceeded; then nothing is recorded.
    public func track(_ name: String, attributes: [String: AttributeValue] = [:]) async throws(BelfryError) {
        try recorder.track(name, attributes: attributes)
    }
}

// Consent to the collection of data, and removal of all data from the device (REG-36).
extension BelfryClient {
    /// Whether events are recorded; by default they are. Call it before ``start(afterErasure:)`` when the person was
    /// not asked yet.
    ///
    /// False stops all events, tracked ones and the SDK's own, and removes the waiting ones before it returns; a batch
    /// that is being sent at that moment may still arrive. Calls that record events return as usual. The contact record
    /// is still registered, and pushes still arrive and are shown. To stop those, set `record.setPushEnabled(false)` or
    /// log out.
    ///
    /// The choice is stored and survives ``wipe()``.
    public func setTrackingEnabled(_ isEnabled: Bool) async throws(BelfryError) {
        try await engine.privacy.setTracking(isEnabled)
    }

    /// Removes everything from this device before it returns: queue, contact record, tokens, identity, records of seen
    /// pushes, pushes that the system still shows, and the installation's id. Only ``setTrackingEnabled(_:)`` with
    /// false stays.
    ///
    /// Then the client is suspended: it records and sends nothing, setters are refused with the code `wiped`, and
    /// pushes are dropped. ``start(afterErasure:)`` makes it a new installation; then the app must set the contact, the
    /// push token etc. again.
    ///
    /// The server is not informed: it keeps its data, and it sends pushes for the former installation until the new one
    /// registers the push token. If that matters, log out and `flush()` first.
    public func wipe() async throws(BelfryError) {
        try await engine.privacy.wipe()
    }
}
