import Foundation

/// Decides on requests, for all connections of a simulator, and owns their shared state.
final class FCMReception: Sendable {
    /// An accepted message in the history.
    struct Entry: Sendable {
        var token: DeviceTokenKey
        var name: String
        var messageID: String?
        var acceptedAt: Date
    }

    let devices: DeviceRegistry<FCMDeviceState, SimulatedFCMMessage>
    let journal: Journal<Entry>
    /// The journal of requests for access tokens.
    let tokenJournal = Journal<Never>(historyLimit: 0)
    let faults: FaultDraws
    let tokenFaults: FaultDraws
    let accounts = SimulatedFCMAccounts()
    let tokens = FCMAccessTokens()
    let topics = FCMTopics()
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

    /// Decides on one request, hands an accepted message to its device, and records what happened.
    func process(_ request: PlainRequest, tokenURI: () -> String) -> Reply {
        if request.path.utf8.prefix(while: { $0 != UInt8(ascii: "?") }).elementsEqual(FCMTokenEndpoint.path.utf8) {
            return processToken(request, audience: tokenURI())
        }
        let now = clock()
        let draw = faults.draw()
        if draw.fault == .connectionLostBefore {
            journal.lost(.connectionLostBefore)
            return .connectionLost
        }
        do throws(FCMRequestError) {
            let body = try answer(request, now: now, draw)
            let field = SimulatedResponse.Field(name: "content-type", value: "application/json; charset=UTF-8")
            return Reply(SimulatedResponse(status: 200, fields: [field], body: body), draw)
        } catch {
            journal.rejected(error.code.rawValue, draw.fault)
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
            if let error = draw.fault?.tokenError(retryAfter: draw.retryAfter) { throw error }
            let answer = try endpoint.answer(request, audience: audience, now: clock())
            tokenJournal.accepted(nil, draw.fault)
            return Reply(answer, draw)
        } catch {
            tokenJournal.rejected(error.code.rawValue, draw.fault)
            return Reply(error.answer, draw)
        }
    }

    /// Returns the response's JSON.
    private func answer(_ request: PlainRequest, now: Date, _ draw: FaultDraws.Draw) throws(FCMRequestError) -> String {
        let call = try FCMCall(request)
        try FCMAuthorization.admit(request.field("authorization"), to: call.project, now: now, grant: tokens.grant)
        let error = draw.fault?.fcmError(retryAfter: draw.retryAfter)
        switch call.kind {
        case .send:
            let push = try FCMMessageCheck.push(from: request, messageIDPath: messageIDPath)
            try admitProject(call.project, now: now)
            if let error { throw error }
            return #"{"name":"\#(try accept(push, call.project, now: now, draw.fault))"}"#
        case .subscribe(let registration, let topic):
            if let error { throw error }
            let device = try subscriber(registration, topic, call.project)
            try topics.subscribe(device, to: topic, of: call.project)
            journal.accepted(nil, draw.fault)
            return SimulatorJSONText.encode(
                FCMTopicSubscription(project: call.project, registration: registration, topic: topic, now: now))
        case .unsubscribe(let registration, let topic, let allowsMissing):
            if let error { throw error }
            let device = try subscriber(registration, topic, call.project)
            guard topics.unsubscribe(device, from: topic, of: call.project) || allowsMissing else {
                throw FCMRequestError(.notFound, "Requested entity was not found.")
            }
            journal.accepted(nil, draw.fault)
            return "{}"
        }
    }

    /// Returns the name of the message.
    private func accept(
        _ push: FCMPush, _ project: String, now: Date, _ fault: FaultPlan.Fault?
    ) throws(FCMRequestError) -> String {
        let name = "projects/\(project)/messages/\(push.isOnlyValidated ? "fake_message_id" : "0:" + random.uuid())"
        switch push.recipient {
        case .device(let key, let field):
            if push.isOnlyValidated {
                let error = FCMMessageCheck.error(of: project, by: devices.standing(of: key), field: field)
                if let error { throw error }
                journal.accepted(.validated, fault)
                return name
            }
            try hand(push, to: key, field, project, name, now: now)
            let entry = Entry(token: key, name: name, messageID: push.messageID, acceptedAt: now)
            journal.accepted(entry, nil, fault)
        case .topics(let condition):
            journal.accepted(push.isOnlyValidated ? .validated : nil, fault)
            guard !push.isOnlyValidated else { break }
            let meant = topics.devices(for: condition, of: project) {
                devices.tokens { $0.project == project && $0.state == .valid }
            }
            // Devices that do not accept the message are not reported to the sender.
            for key in meant { try? hand(push, to: key, "message.topic", project, name, now: now) }
        }
        return name
    }

    private func hand(
        _ push: FCMPush, to key: DeviceTokenKey, _ field: String, _ project: String, _ name: String, now: Date
    ) throws(FCMRequestError) {
        try devices.accept(
            for: key,
            now: now,
            error: { FCMMessageCheck.error(of: project, by: $0, field: field) },
            overrun: { FCMRequestError.deviceQuota("Device message rate exceeded.", retryAfter: $0) }
        ) { _, sequence in
            SimulatedFCMMessage(push, sequence: sequence, name: name, acceptedAt: now)
        }
    }

    private func subscriber(
        _ registration: String, _ topic: String, _ project: String
    ) throws(FCMRequestError) -> DeviceTokenKey {
        guard FCMCondition.isName(topic) else { throw .invalid("topic_name", "Invalid topic name.") }
        let key = try FCMMessageCheck.registration(registration)
        if let error = FCMMessageCheck.error(of: project, by: devices.standing(of: key), field: "parent") {
            throw error
        }
        return key
    }

    private func admitProject(_ project: String, now: Date) throws(FCMRequestError) {
        guard let pause = projectRates.pause(of: project, now: now) else { return }
        throw .projectQuota(project, limit: projectRates.quota?.requests ?? 0, retryAfter: pause)
    }
}

/// The service behind one connection of a sender.
struct FCMService: ConnectionService {
    let reception: FCMReception
    /// The addresses of the simulator, known once it listens.
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
    func fcmError(retryAfter: Int?) -> FCMRequestError? {
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
    func tokenError(retryAfter: Int?) -> FCMTokenError? {
        switch self {
        case .tooManyRequests: FCMTokenError(.rateLimited, "Rate limit exceeded.", retryAfter: retryAfter)
        case .internalServerError: FCMTokenError(.internalFailure, "Backend error.")
        case .serviceUnavailable, .shutdown:
            FCMTokenError(.unavailable, "Service unavailable.", retryAfter: retryAfter)
        case .slowAnswer, .noAnswer, .connectionLostBefore, .connectionLostAfter: nil
        }
    }
}
