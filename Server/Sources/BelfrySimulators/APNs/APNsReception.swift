import Foundation
import Synchronization

/// Where requests are decided on, for all connections of a simulator: it owns what they share.
final class APNsReception: Sendable {
    /// What a connection has to do about a request.
    struct Outcome: Sendable, Equatable {
        /// None if the connection is lost, or the provider waits in vain.
        var answer: APNsAnswer?
        var delay = Duration.zero
        var losesConnection = false
    }

    private struct Faults: Sendable {
        var plan: FaultPlan
        var requests: UInt64 = 0

        mutating func draw() -> (fault: FaultPlan.Fault?, slowAnswer: Duration) {
            requests += 1
            return (plan.fault(forRequest: requests), plan.slowAnswer)
        }
    }

    let devices: DeviceRegistry
    let journal: Journal
    let keys = ProviderKeys()
    let random: RandomSource
    private let clock: @Sendable () -> Date
    private let rules: ProviderTokenRules
    private let faults: Mutex<Faults>

    init(
        configuration: APNsSimulator.Configuration,
        random: RandomSource,
        clock: @escaping @Sendable () -> Date
    ) {
        devices = DeviceRegistry(
            limits: Device.Limits(
                stored: configuration.storedPerDevice,
                streamBuffer: max(configuration.streamBuffer, 1),
                rate: configuration.tokenRateLimit
            )
        )
        journal = Journal(historyLimit: configuration.keepsHistory)
        rules = ProviderTokenRules(
            lifetime: configuration.providerTokenLifetime,
            updateInterval: configuration.providerTokenUpdateInterval
        )
        faults = Mutex(Faults(plan: configuration.faults))
        self.random = random
        self.clock = clock
    }

    var now: Date { clock() }

    /// After how many requests a connection gets a GOAWAY.
    var goAwayAfter: Int? {
        faults.withLock { $0.plan.goAwayAfter }
    }

    func setFaults(_ plan: FaultPlan) {
        faults.withLock { $0.plan = plan }
    }

    /// Decides on one request, hands an accepted push to its device, and notes what happened.
    func process(
        _ request: APNsRequest,
        at environment: APNsSimulator.Environment,
        _ session: inout ProviderSession
    ) -> Outcome {
        let now = clock()
        let (fault, slowAnswer) = faults.withLock { $0.draw() }
        if fault == .connectionLostBefore {
            journal.lost(.connectionLostBefore)
            return Outcome(losesConnection: true)
        }
        let provider = session.admit(
            request.head.authorization,
            at: environment,
            now: now,
            rules: rules,
            verify: keys.token
        )
        let answer = judge(request, provider, at: environment, now: now, fault)
        switch fault {
        case .slowAnswer?: return Outcome(answer: answer, delay: slowAnswer)
        case .noAnswer?: return Outcome()
        case .connectionLostAfter?: return Outcome(losesConnection: true)
        default: return Outcome(answer: answer)
        }
    }

    private func judge(
        _ request: APNsRequest,
        _ provider: Result<ProviderToken, APNsRefusal>,
        at environment: APNsSimulator.Environment,
        now: Date,
        _ fault: FaultPlan.Fault?
    ) -> APNsAnswer {
        do throws(APNsRefusal) {
            let push = try APNsRequestCheck.push(from: request, provider: provider)
            if let reason = fault?.reason { throw APNsRefusal(reason) }
            let apnsID = push.id ?? random.uuid()
            try devices.accept(push, apnsID: apnsID, at: environment, now: now)
            journal.accepted(push, apnsID: apnsID, now: now, fault)
            return .accepted(apnsID: apnsID, uniqueID: environment == .sandbox ? random.uuid() : nil)
        } catch {
            journal.refused(error.reason, fault)
            let given = request.head.id.flatMap { APNsRequestCheck.isUUID($0) ? $0 : nil }
            return .refused(error, apnsID: given ?? random.uuid())
        }
    }
}
