import Foundation

/// Where requests are decided on, for all connections of a simulator: it owns what they share.
final class FCMReception: Sendable {
    /// An accepted message, as the history keeps it.
    struct Entry: Sendable {
        var token: DeviceTokenKey
        var name: String
        var messageID: String?
        var acceptedAt: Date
    }

    let devices: DeviceRegistry<FCMDeviceState, SimulatedFCMMessage>
    let journal: Journal<Entry>
    /// Requests for access tokens.
    let tokenJournal = Journal<Never>(historyLimit: 0)
    let faults: FaultDraws
    let tokenFaults: FaultDraws
    let accounts = SimulatedFCMAccounts()
    let tokens = FCMAccessTokens()
    let random: RandomSource
    let clock: @Sendable () -> Date
    private let endpoint: FCMTokenEndpoint
    private let messageIDPath: [String]
    let projectRates: SenderRates<String>

    init(
        configuration: FCMSimulator.Configuration,
        random: RandomSource,
        clock: @escaping @Sendable () -> Date
    ) {
        devices = DeviceRegistry(
            limits: DeviceLimits(
                stored: configuration.storedPerDevice,
                streamBuffer: configuration.streamBuffer,
                rate: configuration.deviceQuota
            )
        )
        journal = Journal(historyLimit: configuration.keepsHistory)
        faults = FaultDraws(configuration.faults)
        tokenFaults = FaultDraws(configuration.tokenFaults)
        endpoint = FCMTokenEndpoint(
            accounts: accounts,
            tokens: tokens,
            random: random,
            lifetime: configuration.accessTokenLifetime
        )
        messageIDPath = configuration.messageIDPath
        projectRates = SenderRates(configuration.projectQuota)
        self.random = random
        self.clock = clock
    }

    var now: Date { clock() }

    /// Decides on one request, hands an accepted message to its device, and notes what happened.
    func process(_ request: PlainRequest, tokenURI: () -> String) -> Reply {
        if request.path.prefix(while: { $0 != "?" }) == FCMTokenEndpoint.path {
            return processToken(request, audience: tokenURI())
        }
        let now = clock()
        let draw = faults.draw()
        if draw.fault == .connectionLostBefore {
            journal.lost(.connectionLostBefore)
            return .connectionLost
        }
        do throws(FCMRequestError) {
            let name = try accept(request, now: now, draw)
            let field = SimulatedResponse.Field(name: "content-type", value: "application/json; charset=UTF-8")
            return Reply(SimulatedResponse(status: 200, fields: [field], body: #"{"name":"\#(name)"}"#), draw)
        } catch {
            journal.refused(error.code.rawValue, draw.fault)
            return Reply(error.answer, draw)
        }
    }

    private func processToken(_ request: PlainRequest, audience: String) -> Reply {
        let draw = tokenFaults.draw()
        if draw.fault == .connectionLostBefore {
            tokenJournal.lost(.connectionLostBefore)
            return .connectionLost
        }
        do throws(FCMTokenError) {
            if let refusal = draw.fault?.tokenRefusal(retryAfter: draw.retryAfter) { throw refusal }
            let answer = try endpoint.answer(request, audience: audience, now: clock())
            tokenJournal.accepted(nil, draw.fault)
            return Reply(answer, draw)
        } catch {
            tokenJournal.refused(error.code.rawValue, draw.fault)
            return Reply(error.answer, draw)
        }
    }

    /// Gives the name of the message.
    private func accept(
        _ request: PlainRequest,
        now: Date,
        _ draw: FaultDraws.Draw
    ) throws(FCMRequestError) -> String {
        let project = try FCMMessageCheck.project(of: request)
        try FCMAuthorization.admit(request.field("authorization"), to: project, now: now, grant: tokens.grant)
        let push = try FCMMessageCheck.push(from: request, messageIDPath: messageIDPath)
        try admitProject(project, now: now)
        if let refusal = draw.fault?.fcmRefusal(retryAfter: draw.retryAfter) { throw refusal }
        guard !push.isOnlyValidated else { return try validate(push, project, now: now, draw.fault) }
        let name = "projects/\(project)/messages/0:\(random.uuid())"
        try devices.accept(
            for: push.key,
            now: now,
            refusal: { FCMMessageCheck.refusal(of: project, by: $0, field: push.field) },
            overrun: { FCMRequestError.deviceQuota("Device message rate exceeded.", retryAfter: $0) }
        ) { _, sequence in
            SimulatedFCMMessage(push, sequence: sequence, name: name, acceptedAt: now)
        }
        let entry = Entry(token: push.key, name: name, messageID: push.messageID, acceptedAt: now)
        journal.accepted(entry, nil, draw.fault)
        return name
    }

    private func validate(
        _ push: FCMPush,
        _ project: String,
        now: Date,
        _ fault: FaultPlan.Fault?
    ) throws(FCMRequestError) -> String {
        let standing = devices.standing(of: push.key)
        let refusal = FCMMessageCheck.refusal(of: project, by: standing, field: push.field)
        if let refusal { throw refusal }
        journal.accepted(.validated, fault)
        return "projects/\(project)/messages/fake_message_id"
    }

    private func admitProject(_ project: String, now: Date) throws(FCMRequestError) {
        guard let pause = projectRates.pause(of: project, now: now) else { return }
        throw .projectQuota(project, limit: projectRates.quota?.requests ?? 0, retryAfter: pause)
    }
}

/// What stands behind one connection of a sender.
struct FCMService: ConnectionService {
    let reception: FCMReception
    /// Where the simulator listens, known once it does.
    let addresses: @Sendable () -> FCMSimulator.Addresses?

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
        reception.process(request, tokenURI: { addresses()?.tokenURI ?? "" })
    }
}

extension FaultPlan.Fault {
    /// What FCM refuses a message with instead of accepting it.
    func fcmRefusal(retryAfter: Int?) -> FCMRequestError? {
        switch self {
        case .tooManyRequests:
            FCMRequestError.deviceQuota("Resource has been exhausted (e.g. check quota).", retryAfter: retryAfter)
        case .internalServerError:
            FCMRequestError(.internal, "Internal error encountered.")
        case .serviceUnavailable, .shutdown:
            FCMRequestError(.unavailable, "The service is currently unavailable.", retryAfter: retryAfter)
        case .slowAnswer, .noAnswer, .connectionLostBefore, .connectionLostAfter: nil
        }
    }

    /// What the token endpoint refuses a request with.
    func tokenRefusal(retryAfter: Int?) -> FCMTokenError? {
        switch self {
        case .tooManyRequests: FCMTokenError(.rateLimited, "Rate limit exceeded.", retryAfter: retryAfter)
        case .internalServerError: FCMTokenError(.internalFailure, "Backend error.")
        case .serviceUnavailable, .shutdown:
            FCMTokenError(.unavailable, "Service unavailable.", retryAfter: retryAfter)
        case .slowAnswer, .noAnswer, .connectionLostBefore, .connectionLostAfter: nil
        }
    }
}
