import BelfryModel
import BelfryWire
import Synchronization

extension DemoStory {
    /// The report of each push service, summed up from what the ledger says of each device (LED-2): it must add up to
    /// what the campaign counts.
    ///
    /// - Parameter registered: the ids of the devices whose registrations are processed, by the devices' numbers. A
    ///   deleted app cannot be asked for its own any more.
    func services(of campaign: String, registered: [Int: String]) async throws -> DemoReport.Services {
        let tally = Tally()
        try await fleet.each { [admin, base] device in
            let provider = device.behaviour.provider
            tally.services.withLock { $0[provider].devices += 1 }
            guard let id = registered[device.index] else { return }
            let answer: ExplainAnswer = try await admin.get("\(base)/explain?campaign=\(campaign)&device=\(id)")
            tally.services.withLock { services in
                services[provider].registered += 1
                services[provider].push.add(state: answer.state, facts: Set(answer.history.map(\.what)))
            }
        }
        return tally.services.withLock { $0 }
    }

    /// Many devices are asked for at the same time.
    private final class Tally: Sendable {
        let services = Mutex(DemoReport.Services())
    }
}
