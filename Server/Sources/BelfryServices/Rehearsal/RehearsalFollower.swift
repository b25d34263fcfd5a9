import BelfryModel
import BelfryStore
import Foundation

/// Tells of a rehearsal as it goes on: each time that it has come further, until it has ended.
package actor RehearsalFollower {
    /// Looks after which it ends; whoever still wants to know begins anew, and is asked again who they are.
    static let maximumLooks = 600
    /// Seconds from one look to the next.
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

    /// The next news; nil when there will be none.
    ///
    /// - Parameter mayGoOn: whether whoever follows may still see the rehearsal; asked at each look, for the news may
    ///   be long in coming.
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
