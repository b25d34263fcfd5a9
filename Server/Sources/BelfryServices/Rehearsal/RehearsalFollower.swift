import BelfryModel
import BelfryStore
import Foundation

/// Follows a rehearsal: returns it each time it has progressed, until it has ended.
package actor RehearsalFollower {
    /// The number of reads after which it ends. A client that still follows starts again, and is authenticated again.
    static let maximumLooks = 600
    /// Seconds between two reads.
    static let interval: TimeInterval = 0.5

    private let number: Int64
    private let campaign: CampaignID
    private let app: AppRecord
    private let service: RehearsalService
    private var last: Rehearsal?
    private var looks = 0

    init(_ number: Int64, of campaign: CampaignID, app: AppRecord, service: RehearsalService) {
        self.number = number
        self.campaign = campaign
        self.app = app
        self.service = service
    }

    /// The next change; nil if there will be none.
    ///
    /// - Parameter mayGoOn: whether the client may still see the rehearsal; checked at each read, because the next
    ///   change may take long.
    package func next(while mayGoOn: @Sendable () async -> Bool = { true }) async throws -> Rehearsal? {
        while looks < Self.maximumLooks {
            if let last {
                guard last.status.isOpen else { return nil }
                let date = service.environment.now().addingTimeInterval(Self.interval)
                try await service.environment.sleepUntil(date)
            }
            looks += 1
            let rehearsal = try await service.find(number, of: campaign, app: app)
            guard await mayGoOn() else { return nil }
            guard rehearsal != last else { continue }
            last = rehearsal
            return rehearsal
        }
        return nil
    }
}

extension RehearsalService {
    package func follow(_ number: Int64, of id: CampaignID, app: AppRecord) -> RehearsalFollower {
        RehearsalFollower(number, of: id, app: app, service: self)
    }
}
