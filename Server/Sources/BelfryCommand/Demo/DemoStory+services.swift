import BelfryAPI
import BelfryModel
import Synchronization

extension DemoStory {
    /// The ids of the campaigns that the story has sent.
    struct Campaigns: Sendable {
        let push: String
        let keptPush: String
        let message: String
        /// The in-app campaigns.
        let basket: String
        let greeting: String
    }

    /// The report of each push service, as sums over the ledger's rows for each device (LED-2). All reports together
    /// must equal the campaigns' own figures.
    ///
    /// - Parameters:
    ///   - registered: the ids of the devices whose registrations are processed, by device number. A deleted app cannot
    ///     tell its id any more.
    ///   - visits: the message-center results of the running devices, by device number.
    ///   - sights: the in-app results of the running devices, by device number.
    func services(
        of campaigns: Campaigns, registered: [Int: String], visits: [Int: MessageCenterVisit], sights: [Int: InAppSight]
    ) async throws -> DemoReport.Services {
        let tally = Tally()
        try await fleet.each { device in
            let provider = device.behaviour.provider
            tally.services.withLock { $0[provider].devices += 1 }
            guard let id = registered[device.index] else { return }
            let push = try await outcome(of: id, in: campaigns.push)
            let kept = try await outcome(of: id, in: campaigns.keptPush)
            let message = try await outcome(of: id, in: campaigns.message)
            let basket = try await outcome(of: id, in: campaigns.basket)
            let badge = try await badge(of: id)
            tally.services.withLock { services in
                services[provider].registered += 1
                services[provider].push.add(state: push.state, facts: push.facts)
                services[provider].messageCenter.keptPush.add(state: kept.state, facts: kept.facts)
                services[provider].messageCenter.add(state: message.state, facts: message.facts)
                if let visit = visits[device.index] {
                    services[provider].messageCenter.add(visit, in: DemoApp.center, badge: badge)
                }
                services[provider].inApp.add(state: basket.state, facts: basket.facts)
                if let sight = sights[device.index] {
                    services[provider].inApp.add(sight, basket: campaigns.basket, greeting: campaigns.greeting)
                }
            }
        }
        return tally.services.withLock { $0 }
    }

    /// The outcome of a campaign on one device.
    private func outcome(of device: String, in campaign: String) async throws -> (state: String, facts: Set<String>) {
        let answer: ExplainResponse = try await admin.call(
            DeviceRoutes.explain, DemoApp.code, query: "campaign=\(campaign)&device=\(device)"
        )
        return (answer.state, Set(answer.history.map(\.what)))
    }

    private func badge(of device: String) async throws -> Int {
        let answer: DeviceResponse = try await admin.call(DeviceRoutes.readDevice, DemoApp.code, device)
        return answer.badge.count
    }

    /// Sums up the results of devices. It is locked, because many devices are read at the same time.
    private final class Tally: Sendable {
        let services = Mutex(DemoReport.Services())
    }
}
