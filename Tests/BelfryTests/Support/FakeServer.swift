import BelfryModel
import BelfryRules
import BelfryTestSupport
import BelfryWire
import Foundation

@testable import Belfry

/// A server in memory, with the meaning of the device API: tokens that expire, links that replace each other, receipts,
/// each event stored once. What goes wrong is scripted.
actor FakeServer: Transport {
    /// What happens to a request instead of a response.
    enum Fault: Sendable {
        /// It never arrives.
        case lost
        /// It arrives, its response does not.
        case answerLost
        case answer(TransportResponse)
        /// Something between the device and the server responds, such as a hotspot.
        case intermediary(TransportResponse)
        /// The device dies while it waits; the request arrived or not.
        case death(arrived: Bool)
    }

    struct Request: Sendable {
        let name: String
        let headers: [String: String]
        let body: Data
        let at: Date
        /// Of the address.
        var query: [String: String] = [:]
    }

    struct StoredEvent: Sendable, Equatable {
        let id: String
        let name: String
        let sessionID: String?
        /// The contact that it belongs to.
        let contact: String
        let attributes: [String: AttributeValue]
        /// By this server's clock (EVT-9).
        let at: Date
    }

    enum Failure: Error {
        case noNetwork
        case died
    }

    let clock: ManualClock
    private(set) var requests: [Request] = []
    private(set) var properties: [ClientProperties] = []
    private(set) var snapshots: [RegistrationSnapshot] = []
    private(set) var events: [StoredEvent] = []
    var pushToken: String?
    /// Another device has registered the token (REG-27).
    var hasLostToken = false
    private(set) var contact: String?
    private(set) var revision: Int64 = 0
    /// What it says of the newest registration that it has processed (REG-25).
    var result: RegistrationResult?
    var isOffline = false
    var allowsAnonymous = true
    /// Whether a party identifier links, as with `identity: open`.
    var allowsParties = true
    /// Nonce → the contact that a re-installed app takes back by it.
    var offers: [String: String] = [:]
    /// Names of events for which a whole batch is refused.
    var poison: Set<String> = []
    /// Names of events that are refused alone.
    var rejectedAlone: Set<String> = []
    var maximumBody = WireLimits.maximumBodyBytes
    /// Seconds by which this server's clock is ahead.
    var clockAhead: TimeInterval = 0
    /// OpenID token → the contact that it proves; any other is refused.
    var provenKeys: [String: String] = [:]

    private var faults: [String: [Fault]] = [:]
    private var deathAt: (request: Int, arrived: Bool)?
    private var onDeath: (@Sendable () -> Void)?
    /// Contact token → the installation that it was given to; the same of refresh tokens.
    private var validTokens: [String: String] = [:]
    private var refreshTokens: [String: String] = [:]
    private(set) var references: [String: String] = [:]
    /// Installation → its contact, where several devices share the server.
    private(set) var contacts: [String: String] = [:]
    /// Message centers and badges.
    var inbox = FakeInbox()
    /// In-app campaigns.
    var inApp = FakeInApp()
    private var storedIDs: Set<String> = []
    /// The installation that was linked last, and the states that vouch for it since (WIRE-20).
    private var linkedClient: String?
    private var states: Set<String> = []
    private var numbers = 0

    init(clock: ManualClock) {
        self.clock = clock
    }

    // MARK: - What tests script

    /// The next requests of that name fail so, one after the other.
    func script(_ name: String, _ faults: Fault...) {
        self.faults[name, default: []] += faults
    }

    func set(isOffline: Bool) {
        self.isOffline = isOffline
    }

    func set(allowsAnonymous: Bool) {
        self.allowsAnonymous = allowsAnonymous
    }

    func set(poison: Set<String> = [], rejectedAlone: Set<String> = [], maximumBody: Int = WireLimits.maximumBodyBytes)
    {
        self.poison = poison
        self.rejectedAlone = rejectedAlone
        self.maximumBody = maximumBody
    }

    func set(clockAhead: TimeInterval) {
        self.clockAhead = clockAhead
    }

    /// The contact was linked before, by another server over the same database.
    func knows(_ contact: String) {
        references[Self.reference(of: contact)] = contact
    }

    func prove(_ contact: String, by token: String) {
        provenKeys[token] = contact
    }

    func set(revision: Int64) {
        self.revision = revision
    }

    /// The device dies at that request, counted from the first.
    func killDevice(atRequest number: Int, arrived: Bool) {
        deathAt = (number, arrived)
    }

    func whenDeviceDies(_ onDeath: @escaping @Sendable () -> Void) {
        self.onDeath = onDeath
    }

    func expireTokens() {
        validTokens = [:]
    }

    func forgetRefreshTokens() {
        validTokens = [:]
        refreshTokens = [:]
    }

    var names: [String] {
        requests.map(\.name)
    }

    func count(_ name: String) -> Int {
        requests.count { $0.name == name }
    }

    /// The tracked events, without those that the SDK makes.
    var tracked: [StoredEvent] {
        events.filter { !$0.name.contains(":") }
    }

    // MARK: - Transport

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        if isOffline { throw Failure.noNetwork }
        let name = Self.name(of: request)
        let received = Request(
            name: name, headers: request.headers, body: request.body ?? Data(), at: clock.now,
            query: Self.query(of: request)
        )
        requests.append(received)
        if let death = deathAt, requests.count - 1 == death.request {
            return try await die(received, arrived: death.arrived)
        }
        guard let fault = nextFault(for: name) else { return finished(handle(received)) }
        switch fault {
        case .lost:
            throw Failure.noNetwork
        case .answerLost:
            _ = handle(received)
            throw Failure.noNetwork
        case .answer(let response):
            return finished(response)
        case .intermediary(let response):
            return response
        case .death(let arrived):
            return try await die(received, arrived: arrived)
        }
    }

    private func nextFault(for name: String) -> Fault? {
        guard let next = faults[name]?.first else { return nil }
        faults[name]?.removeFirst()
        return next
    }

    private func die(_ request: Request, arrived: Bool) async throws -> TransportResponse {
        if arrived { _ = handle(request) }
        deathAt = nil
        onDeath?()
        // No response comes any more; the wait ends with the device.
        await LoopSignal().wait(past: 0)
        throw Failure.died
    }

    private func finished(_ response: TransportResponse) -> TransportResponse {
        numbers += 1
        var headers = response.headers
        headers["x-client-state"] = "state-\(numbers)"
        states.insert("state-\(numbers)")
        headers["date"] = Self.httpDate(clock.now.addingTimeInterval(clockAhead))
        return TransportResponse(status: response.status, headers: headers, body: response.body)
    }

    /// `POST /client/events`, without the app, and without the cursor of a sync.
    static func name(of request: TransportRequest) -> String {
        let path = request.path.split(separator: "/").dropFirst(3).joined(separator: "/")
        let name = "\(request.method) /\(path)"
        return name.hasPrefix(fetchInApp) ? fetchInApp : name
    }

    private static func query(of request: TransportRequest) -> [String: String] {
        guard request.path.contains("?") else { return [:] }
        let items = URLComponents(string: request.path)?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { first, _ in first })
    }
}

// MARK: - The device API

extension FakeServer {
    private func handle(_ request: Request) -> TransportResponse {
        switch request.name {
        case "POST /client":
            return noteProperties(request)
        case "POST /client/contact":
            return link(request)
        case "POST /client/contact?anonymous=true", "POST /client/contact?anonymous=true&fresh=true":
            guard allowsAnonymous else { return Self.error(403, ErrorCode.anonymousContactsDisabled) }
            let isFresh = request.name.hasSuffix("&fresh=true")
            if !isFresh, vouches(request), let contact, contact.hasPrefix("anonymous-") {
                return linked(to: contact, by: request)
            }
            numbers += 1
            return linked(to: "anonymous-\(numbers)", by: request)
        case "POST /client/contact-token":
            return refresh(request)
        default:
            guard let token = request.headers[HeaderNames.contactToken], let client = validTokens[token] else {
                return Self.error(401, ErrorCode.contactTokenExpired)
            }
            return authorised(request, of: client)
        }
    }

    private func authorised(_ request: Request, of client: String) -> TransportResponse {
        switch request.name {
        case "PUT /client/push-token":
            guard let body = try? JSONDecoder().decode(PushTokenRequest.self, from: request.body) else {
                return Self.error(400, "invalidBody")
            }
            pushToken = body.pushToken
            hasLostToken = false
            return TransportResponse(status: 204)
        case "DELETE /client/push-token":
            pushToken = nil
            return TransportResponse(status: 204)
        case "POST /client/registration":
            return register(request)
        case "POST /client/events":
            return store(request)
        case Self.fetchInApp:
            return inAppAnswer(to: request, of: client)
        default:
            return inboxAnswer(to: request, of: client)
        }
    }

    private func noteProperties(_ request: Request) -> TransportResponse {
        guard let body = try? JSONDecoder().decode(ClientProperties.self, from: request.body) else {
            return Self.error(400, "invalidBody")
        }
        properties.append(body)
        return TransportResponse(status: 204)
    }

    /// Whether it shows that it comes from the installation that was linked (WIRE-20).
    private func vouches(_ request: Request) -> Bool {
        guard request.headers[HeaderNames.clientID] == linkedClient else { return false }
        let isKnown = request.headers[HeaderNames.clientState].map { states.contains($0) } ?? false
        return isKnown || request.headers[HeaderNames.contactToken].map { validTokens[$0] != nil } ?? false
    }

    func linked(to contact: String, by request: Request) -> TransportResponse {
        numbers += 1
        if self.contact != contact { states = [] }
        self.contact = contact
        linkedClient = request.headers[HeaderNames.clientID]
        let client = linkedClient ?? ""
        belongs(client, to: contact)
        let answer = ContactLinkResponse(
            contactToken: "token-\(numbers)", refreshToken: "refresh-\(numbers)",
            contactReference: Self.reference(of: contact)
        )
        validTokens[answer.contactToken] = client
        refreshTokens[answer.refreshToken] = client
        references[answer.contactReference] = contact
        return Self.json(200, answer)
    }

    private func belongs(_ client: String, to contact: String) {
        inbox.linked(client, to: contact, before: contacts.updateValue(contact, forKey: client))
    }

    /// The recipient tag: what a reference begins with, and what a push for the contact says (ID-4).
    static func tag(of contact: String) -> String {
        String((String(repeating: "_", count: RecipientTags.tagLength) + contact).suffix(RecipientTags.tagLength))
    }

    private static func reference(of contact: String) -> String {
        "\(tag(of: contact)).reference-\(contact)"
    }

    private func refresh(_ request: Request) -> TransportResponse {
        guard let body = try? JSONDecoder().decode(ContactTokenRequest.self, from: request.body),
            let client = refreshTokens[body.refreshToken]
        else { return Self.error(400, ErrorCode.registerAnew) }
        numbers += 1
        validTokens["token-\(numbers)"] = client
        return Self.json(200, ContactTokenResponse(contactToken: "token-\(numbers)"))
    }

    private func register(_ request: Request) -> TransportResponse {
        guard let snapshot = try? JSONDecoder().decode(RegistrationSnapshot.self, from: request.body),
            snapshot.deviceId == request.headers[HeaderNames.clientID]
        else { return Self.error(400, "invalidBody") }
        if snapshot.revision > revision {
            snapshots.append(snapshot)
            if let key = snapshot.contactKey {
                contact = key
                belongs(snapshot.deviceId, to: key)
            }
        }
        revision = max(revision, snapshot.revision)
        let answer = RegistrationResponse(
            registrationId: snapshot.registrationId, revision: revision, status: .received, registration: result
        )
        return Self.json(201, answer)
    }

    private func store(_ request: Request) -> TransportResponse {
        struct Batch: Decodable {
            let events: [WireEvent]
        }
        guard request.body.count <= maximumBody else { return Self.error(413, ErrorCode.bodyTooLarge) }
        guard let batch = try? JSONDecoder().decode(Batch.self, from: request.body), !batch.events.isEmpty,
            !batch.events.contains(where: { poison.contains($0.name ?? "") })
        else { return Self.error(400, ErrorCode.invalidBody) }
        var rejected: [RejectedEvent] = []
        for (index, event) in batch.events.enumerated() {
            if rejectedAlone.contains(event.name ?? "") {
                rejected.append(RejectedEvent(index: index, id: event.id, reason: "refused alone"))
            } else {
                store(event, by: request)
            }
        }
        guard !rejected.isEmpty else { return TransportResponse(status: 204) }
        return Self.json(200, EventBatchResponse(rejected: rejected))
    }

    private func store(_ event: WireEvent, by request: Request) {
        let id = event.id ?? "none"
        guard storedIDs.insert(id).inserted else { return }
        let now = clock.now.addingTimeInterval(clockAhead)
        let sent = (request.headers[HeaderNames.clientTime] ?? request.headers[HeaderNames.requestOrder]).flatMap(
            Double.init)
        // By how much the device's clock is slow; up to a minute may be the network's (EVT-9).
        let behind = sent.map { now.timeIntervalSince1970 - $0 / 1_000 } ?? 0
        let tracked = event.timestamp.flatMap { Timestamp.date($0) } ?? now
        let stored = StoredEvent(
            id: id, name: event.name ?? "none", sessionID: event.sessionId,
            // A reference that it cannot read names nobody; without one it is the present contact's.
            contact: event.contact.map { references[$0] ?? "none" } ?? contact ?? "none",
            attributes: event.attributes ?? [:],
            at: abs(behind) > 60 ? min(tracked.addingTimeInterval(behind), now) : tracked
        )
        events.append(stored)
        noticeDisplay(stored, by: request.headers[HeaderNames.clientID] ?? "")
    }
}
