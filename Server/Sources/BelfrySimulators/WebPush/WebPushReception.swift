import Foundation

/// Decides on requests, for all connections of a simulator, and owns their shared state.
final class WebPushReception: Sendable {
    /// The maximum number of subscriptions that other processes may create.
    static let subscriptionLimit = 2_000_000

    /// An accepted push in the history.
    struct Entry: Sendable {
        var key: DeviceTokenKey
        var id: String
        var messageID: String?
        var acceptedAt: Date
    }

    let devices: DeviceRegistry<SimulatedSubscription, SimulatedWebPush>
    let journal: Journal<Entry>
    let faults: FaultDraws
    let random: RandomSource
    let clock: @Sendable () -> Date
    private let signatures = VerifiedTexts<VAPIDSignature>()
    private let reading: WebPushReading
    let browsers = BrowserRegistry()
    /// The rates of senders by their public keys.
    let senderRates: SenderRates<[UInt8]>

    /// - Parameters:
    ///   - limits: the limits of each subscription.
    ///   - history: the maximum number of accepted pushes in the history.
    ///   - quota: the quota of each sender.
    init(
        limits: DeviceLimits, history: Int, faults: FaultPlan, reading: WebPushReading, quota: SimulatorQuota?,
        random: RandomSource, clock: @escaping @Sendable () -> Date
    ) {
        devices = DeviceRegistry(limits: limits)
        journal = Journal(historyLimit: history)
        self.faults = FaultDraws(faults)
        self.reading = reading
        senderRates = SenderRates(quota)
        self.random = random
        self.clock = clock
    }

    var now: Date { clock() }

    /// Decides on one request, hands an accepted push to its browser, and records what happened.
    func process(_ request: PlainRequest, origin: String) -> Reply {
        let now = clock()
        let draw = faults.draw()
        if draw.fault == .connectionLostBefore {
            journal.lost(.connectionLostBefore)
            return .connectionLost
        }
        do throws(WebPushRequestError) {
            return Reply(try accept(request, origin: origin, now: now, draw), draw)
        } catch {
            journal.rejected(error.reason.rawValue, draw.fault)
            return Reply(error.answer, draw)
        }
    }

    private func accept(
        _ request: PlainRequest,
        origin: String,
        now: Date,
        _ draw: FaultDraws.Draw
    ) throws(WebPushRequestError) -> SimulatedResponse {
        let key = try WebPushRequestCheck.key(of: request)
        let signature = try admitSender(request, origin: origin, now: now)
        let head = try WebPushRequestCheck.head(of: request, key)
        if let error = draw.fault?.webPushError(retryAfter: draw.retryAfter) { throw error }
        let standing = devices.standing(of: key)
        if let error = WebPushRequestCheck.error(by: standing, signature) { throw error }
        // Opened before the registry is asked again: that is done under a lock, and this takes long.
        let (payload, messageID) = reading.read(request.body, standing?.keys)
        let id = random.uuid()
        try devices.accept(
            for: key,
            now: now,
            error: { WebPushRequestCheck.error(by: $0, signature) },
            overrun: { WebPushRequestError(.tooManyRequests, retryAfter: $0) }
        ) { _, sequence in
            SimulatedWebPush(
                sequence: sequence, id: id, messageID: messageID, topic: head.topic, urgency: head.urgency,
                timeToLive: head.timeToLive, payload: payload, acceptedAt: now
            )
        }
        var remark: Remark?
        if case .unreadable = payload { remark = .unreadable }
        journal.accepted(Entry(key: key, id: id, messageID: messageID, acceptedAt: now), remark, draw.fault)
        return Self.created(id, head, origin: origin)
    }

    /// The 201 response with the message's address (RFC 8030 §5). Its TTL is the time for which the service stores the
    /// message (§5.2).
    private static func created(_ id: String, _ head: WebPushHead, origin: String) -> SimulatedResponse {
        SimulatedResponse(
            status: 201,
            fields: [
                SimulatedResponse.Field(name: "location", value: "\(origin)/message/\(id)"),
                SimulatedResponse.Field(name: "ttl", value: String(head.timeToLive)),
            ]
        )
    }

    /// Nil: the sender does not identify itself, which a subscription without a key accepts.
    private func admitSender(
        _ request: PlainRequest,
        origin: String,
        now: Date
    ) throws(WebPushRequestError) -> VAPIDSignature? {
        guard request.has("authorization") else { return nil }
        guard let header = request.field("authorization") else { throw WebPushRequestError(.badJWT) }
        let signature = try signatures.content(of: header, verify: VAPIDSignature.verify)
        try VAPIDRules(origin: origin).check(signature, now: now)
        if let pause = senderRates.pause(of: signature.publicKey, now: now) {
            throw WebPushRequestError(.tooManyRequests, retryAfter: pause)
        }
        return signature
    }
}

/// The service behind one connection of an application server.
struct WebPushService: ConnectionService {
    let reception: WebPushReception
    /// The origin of the endpoints, known once the simulator listens.
    let origin: @Sendable () -> String?

    var allowsAllStreams: Bool { true }
    var goAwayAfter: Int? { reception.faults.goAwayAfter }
    var farewell: String { "" }

    func opened() {
        reception.journal.connectionOpened()
    }

    func closed() {
        reception.journal.connectionClosed()
    }

    func process(_ request: PlainRequest) -> Reply {
        reception.process(request, origin: origin() ?? "")
    }
}

extension FaultPlan.Fault {
    /// What the push service refuses a push with instead of accepting it.
    func webPushError(retryAfter: Int?) -> WebPushRequestError? {
        switch self {
        case .tooManyRequests: WebPushRequestError(.tooManyRequests, retryAfter: retryAfter)
        case .internalServerError: WebPushRequestError(.internalServerError)
        case .serviceUnavailable, .shutdown: WebPushRequestError(.serviceUnavailable, retryAfter: retryAfter)
        case .slowAnswer, .noAnswer, .connectionLostBefore, .connectionLostAfter: nil
        }
    }
}
