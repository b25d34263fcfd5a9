import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

extension CampaignQueries {
    package func follow(_ id: CampaignID, app: AppRecord) -> CampaignFollower {
        CampaignFollower(id, app: app, of: self)
    }
}

/// Tells of a campaign as it goes on: each time that its figures have changed, until it is over.
package actor CampaignFollower {
    /// Looks after which it ends; whoever still wants to know begins anew, and is asked again who they are.
    static let maximumLooks = 150
    /// Seconds from one look to the next.
    static let interval: TimeInterval = 2
    /// A look that takes long is taken seldom: the pause is so many times as long.
    static let patience: Double = 10

    private let id: CampaignID
    private let app: AppRecord
    private let queries: CampaignQueries
    private var last: CampaignStanding?
    private var looks = 0
    private var pause = interval

    init(_ id: CampaignID, app: AppRecord, of queries: CampaignQueries) {
        self.id = id
        self.app = app
        self.queries = queries
    }

    /// The next news; nil when there will be none.
    ///
    /// - Parameter mayGoOn: whether whoever follows may still see the campaign; asked at each look, for the news may be
    ///   long in coming.
    package func next(while mayGoOn: @Sendable () async -> Bool = { true }) async throws -> CampaignStanding? {
        while looks < Self.maximumLooks {
            if let last {
                guard !last.isOver else { return nil }
                try await queries.environment.sleepUntil(queries.environment.now().addingTimeInterval(pause))
            }
            looks += 1
            let start = queries.environment.now()
            let standing = try await queries.standing(id, app: app)
            pause = max(Self.interval, queries.environment.now().timeIntervalSince(start) * Self.patience)
            guard await mayGoOn() else { return nil }
            guard standing != last else { continue }
            last = standing
            return standing
        }
        return nil
    }
}
