import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

extension CampaignQueries {
    package func follow(_ id: CampaignID, app: AppRecord) -> CampaignFollower {
        CampaignFollower(id, app: app, of: self)
    }
}

/// Follows a campaign: returns its figures each time they have changed, until the campaign is over.
package actor CampaignFollower {
    /// The number of reads after which it ends. A client that still follows starts again, and is authenticated again.
    static let maximumLooks = 150
    /// Seconds between two reads.
    static let interval: TimeInterval = 2
    /// If a read takes long, the pause after it is this many times as long.
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

    /// The next changed figures; nil if there will be none.
    ///
    /// - Parameter mayGoOn: whether the client may still see the campaign; checked at each read, because the next
    ///   change may take long.
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
