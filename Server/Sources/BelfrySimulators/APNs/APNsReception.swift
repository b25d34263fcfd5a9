import Foundation

/// Decides on requests, for all connections of a simulator, and owns their shared state.
final class APNsReception: Sendable {
    /// An accepted push in the history.
    struct Entry: Sendable {
        var token: DeviceTokenKey
        var apnsID: String
        var acceptedAt: Date
    }

    let devices: DeviceRegistry<DeviceTokenState, SimulatedNotification>
    let journal: Journal<Entry>
    let faults: FaultDraws
    let keys = ProviderKeys()
    let random: RandomSource
    let clock: @Sendable () -> Date
    private let rules: ProviderTokenRules

    init(
        configuration: APNsSimulator.Configuration,
        random: RandomSource,
        clock: @escaping @Sendable () -> Date
    ) {
        devices = DeviceRegistry(
            limits: DeviceLimits(
                stored: configuration.storedPerDevice,
                streamBuffer: configuration.streamBuffer,
                rate: configuration.tokenRateLimit
            )
        )
        journal = Journal(historyLimit: configuration.keepsHistory)
        rules = ProviderTokenRules(
            lifetime: configuration.providerTokenLifetime,
            updateInterval: configuration.providerTokenUpdateInterval
        )
        faults = FaultDraws(configuration.faults)
        self.random = random
        self.clock = clock
    }

    var now: Date { clock() }

    /// Decides on one request, hands an accepted push to its device, and records what happened.
    func process(
        _ request: APNsRequest,
        at environment: APNsEnvironment,
        _ session: inout ProviderSession
    ) -> Reply {
        let now = clock()
        let draw = faults.draw()
        if draw.fault == .connectionLostBefore {
            journal.lost(.connectionLostBefore)
            return .connectionLost
        }
        let provider = session.admit(
            request.head.authorization,
            at: environment,
            now: now,
            rules: rules,
            verify: keys.token
        )
        return Reply(judge(request, provider, at: environment, now: now, draw.fault).answer, draw)
    }

    private func judge(
        _ request: APNsRequest,
        _ provider: Result<ProviderToken, APNsRequestError>,
        at environment: APNsEnvironment,
        now: Date,
        _ fault: FaultPlan.Fault?
    ) -> SimulatedAPNsResponse {
        do throws(APNsRequestError) {
            let push = try APNsRequestCheck.push(from: request, provider: provider)
            if let reason = fault?.apnsReason { throw APNsRequestError(reason) }
            let apnsID = push.id ?? random.uuid()
            try devices.accept(
                for: push.token,
                now: now,
                error: { APNsRequestCheck.error(of: push, at: environment, by: $0) },
                overrun: { _ in APNsRequestError(.tooManyRequests) }
            ) { standing, sequence in
                SimulatedNotification(
                    push, sequence: sequence, apnsID: apnsID, environment: standing.environment, acceptedAt: now
                )
            }
            let remark: Remark? = push.pushType == nil ? .withoutPushType : nil
            journal.accepted(Entry(token: push.token, apnsID: apnsID, acceptedAt: now), remark, fault)
            return .accepted(apnsID: apnsID, uniqueID: environment == .sandbox ? random.uuid() : nil)
        } catch {
            journal.rejected(error.reason.rawValue, fault)
            // Also one that is no UUID comes back: a provider finds its request by it.
            let given = request.head.id.flatMap { APNsRequestCheck.isEchoed($0) ? $0 : nil }
            return .rejected(error, apnsID: given ?? random.uuid())
        }
    }
}

/// The service behind one connection of a provider to one environment.
struct APNsService: ConnectionService {
    let environment: APNsEnvironment
    let reception: APNsReception
    private var session = ProviderSession()

    init(_ environment: APNsEnvironment, _ reception: APNsReception) {
        self.environment = environment
        self.reception = reception
    }

    /// Apple: "APNs allows only one stream until you post a request with a valid authentication token."
    var allowsAllStreams: Bool { session.isAuthenticated }
    var goAwayAfter: Int? { reception.faults.goAwayAfter }
    var farewell: String { #"{"reason":"Shutdown"}"# }

    func opened() {
        reception.journal.connectionOpened()
    }

    func closed() {
        reception.journal.connectionClosed()
    }

    mutating func process(_ request: APNsRequest) -> Reply {
        reception.process(request, at: environment, &session)
    }

    func answered(_ answer: SimulatedResponse) {
        if answer.status == SimulatedAPNsResponse.acceptedStatus { reception.journal.answered() }
    }
}

extension FaultPlan.Fault {
    /// The reason with which APNs rejects the request because of the fault.
    var apnsReason: APNsReason? {
        switch self {
        case .tooManyRequests: .tooManyRequests
        case .internalServerError: .internalServerError
        case .serviceUnavailable: .serviceUnavailable
        case .shutdown: .shutdown
        case .slowAnswer, .noAnswer, .connectionLostBefore, .connectionLostAfter: nil
        }
    }
}
