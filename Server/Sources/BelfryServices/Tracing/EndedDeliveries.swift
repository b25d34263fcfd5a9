import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// Rows of a campaign's ledger that ended without an attempt at a push service: all pending rows end together, or a
/// device downloads a message (FLEET-11). They are traced after the commit.
struct EndedDeliveries: Hashable, Sendable {
    struct Row: Hashable, Sendable {
        let client: DeviceID
        let delivery: DeliveryRow
        /// Whether the row had ended before, because its message could not be rendered.
        var isAgain = false
    }

    let campaign: CampaignID
    /// The campaign's app; nil if the campaign's row is not read.
    let app: AppCode?
    let launchedAt: Date?
    let rows: [Row]

    /// - Parameter row: nil if it cannot be read, or must not be.
    init(_ rows: [Row], of campaign: CampaignID, _ row: CampaignRow?) {
        self.campaign = campaign
        app = row?.campaign.app
        launchedAt = row?.campaign.launchedAt
        self.rows = rows
    }
}

/// Runs code that ends rows of the ledger in a transaction, and finds out which rows it has ended.
struct DeliveryEnding {
    /// The most rows that one run returns: more would find no room in ``TraceLog``.
    static let maximumRows = TraceLog.maximumHeld

    let connection: any SQLConnection
    /// Whether traces are collected. If not, the code runs and nothing is read.
    let isTraced: Bool

    /// Runs code that ends the pending rows of some devices.
    ///
    /// - Parameters:
    ///   - listed: the only devices of the range that are meant (``BelfryStore/Batch/listed``).
    ///   - readsCampaign: false if reading the campaign may crash the process (SEC-8).
    func pending(
        of campaign: CampaignID, devices: ClosedRange<Int64>, listed: [Int64]? = nil, readsCampaign: Bool = true,
        _ body: () throws -> Void
    ) throws -> [EndedDeliveries] {
        guard isTraced else {
            try body()
            return []
        }
        let pending =
            try readable {
                try connection.figures.rows(
                    of: campaign, devices: devices, listed: listed, RecipientFilter(state: .pending),
                    limit: Self.maximumRows
                )
            } ?? []
        try body()
        let devices = pending.map(\.device)
        let after = try readable { try ledgerRows(of: campaign, devices, areListed: listed != nil) } ?? []
        let numbers = Set(devices)
        let ended = after.filter { numbers.contains($0.device) && $0.delivery.state != .pending }
        guard !ended.isEmpty else { return [] }
        let clients = try connection.devices.clients(of: ended.map(\.device))
        let rows = ended.compactMap { row in
            clients[row.device].map { EndedDeliveries.Row(client: DeviceID(stored: $0), delivery: row.delivery) }
        }
        let row = readsCampaign ? try readable { try connection.campaigns.find(campaign) } : nil
        return [EndedDeliveries(rows, of: campaign, row)]
    }

    /// The ledger's present rows of some devices. Usually few other devices are between them, and one range read finds
    /// all. If very many other rows had ended before, the remaining ones are looked up by device number.
    private func ledgerRows(
        of campaign: CampaignID, _ devices: [Int64], areListed: Bool
    ) throws -> [DeliveryOfDevice] {
        guard !areListed else { return try connection.figures.rows(of: campaign, devices: devices) }
        guard let first = devices.first, let last = devices.last else { return [] }
        let most = 2 * Self.maximumRows
        let found = try connection.figures.rows(of: campaign, devices: first...last, RecipientFilter(), limit: most)
        guard found.count == most, let reached = found.last?.device else { return found }
        return try found + connection.figures.rows(of: campaign, devices: devices.filter { $0 > reached })
    }

    /// Runs code that records which in-app campaigns a device gets, or why it gets none.
    func downloads(
        of campaigns: some Sequence<CampaignID>, device: Int64, client: DeviceID, _ body: () throws -> Void
    ) throws -> [EndedDeliveries] {
        guard isTraced else {
            try body()
            return []
        }
        let before = try Set(campaigns).sorted().map { campaign in
            (campaign, try readable { try connection.deliveries.find(campaign: campaign, device: device) }?.state)
        }
        try body()
        return try before.compactMap { campaign, former -> EndedDeliveries? in
            guard let row = try readable({ try connection.deliveries.find(campaign: campaign, device: device) }),
                row.state != .pending
            else { return nil }
            let isOpen = former == nil || former == .pending
            guard isOpen || row.state != former else { return nil }
            let ended = EndedDeliveries.Row(client: client, delivery: row, isAgain: !isOpen)
            return EndedDeliveries([ended], of: campaign, try readable { try connection.campaigns.find(campaign) })
        }
    }

    /// The value; nil if it cannot be read. Such a row is not traced, but can be ended (SEC-8).
    private func readable<Value>(_ read: () throws -> Value?) throws -> Value? {
        do {
            return try read()
        } catch let error where error.meansUnreadable {
            return nil
        }
    }
}

extension TraceLog {
    func record(_ ended: [EndedDeliveries]) {
        for deliveries in ended { add(TraceSpan.spans(of: deliveries)) }
    }
}

extension TraceSpan {
    /// The spans of ended rows. A row that had ended before has its span already, so the later event is a child of it.
    fileprivate static func spans(of ended: EndedDeliveries) -> [TraceSpan] {
        let naming = MessageNaming(campaign: ended.campaign)
        return ended.rows.map { row in
            let delivery = row.delivery
            var attributes: [String: Value] = [
                "belfry.campaign": .text("\(ended.campaign)"), "belfry.device": .text(row.client.rawValue),
                "belfry.state": .text(delivery.state.rawValue), "belfry.attempts": .number(delivery.attempts),
            ]
            if let app = ended.app { attributes["belfry.app"] = .text(app.rawValue) }
            if let reason = delivery.reason { attributes["belfry.reason"] = .text(reason.rawValue) }
            if let note = delivery.note { attributes["belfry.note"] = .text(String(note.prefix(maximumNote))) }
            let error = delivery.state == .rejected ? delivery.reason?.rawValue : nil
            let end = delivery.updatedAt
            return TraceSpan(
                number: row.isAgain ? 1 : 0, trace: naming.id(row.client).uuid,
                name: row.isAgain ? "download" : "delivery",
                begin: row.isAgain ? end : min(ended.launchedAt ?? end, end), end: end, attributes: attributes,
                error: error
            )
        }
    }
}
