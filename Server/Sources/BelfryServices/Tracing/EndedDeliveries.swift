import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// Rows of a campaign's ledger that have ended without an attempt at a push service: what was pending ends all at once, or
/// a device downloads a message (FLEET-11). They are told after the commit.
struct EndedDeliveries: Hashable, Sendable {
    struct Row: Hashable, Sendable {
        let client: DeviceID
        let delivery: DeliveryRow
        /// It had ended before, when its message could not be made.
        var isAgain = false
    }

    let campaign: CampaignID
    /// Nil where the campaign's row is not read.
    let app: AppCode?
    let launchedAt: Date?
    let rows: [Row]

    /// - Parameter row: nil where it cannot be read, or may not.
    init(_ rows: [Row], of campaign: CampaignID, _ row: CampaignRow?) {
        self.campaign = campaign
        app = row?.campaign.app
        launchedAt = row?.campaign.launchedAt
        self.rows = rows
    }
}

/// What ends rows of the ledger in a transaction, and looks at what has ended by it.
struct DeliveryEnding {
    /// Rows that one of them tells at most: more would find no room (``TraceLog``).
    static let maximumRows = TraceLog.maximumHeld

    let connection: any SQLConnection
    /// False: nobody collects traces, and nothing is looked at.
    let isTold: Bool

    /// Runs a body that ends what some devices have pending.
    ///
    /// - Parameter readsCampaign: false where reading the campaign may be what crashes a process (SEC-8).
    func pending(
        of campaign: CampaignID, devices: ClosedRange<Int64>, readsCampaign: Bool = true, _ body: () throws -> Void
    ) throws -> [EndedDeliveries] {
        guard isTold else {
            try body()
            return []
        }
        let pending =
            try readable {
                try connection.figures.rows(
                    of: campaign, devices: devices, RecipientFilter(state: .pending), limit: Self.maximumRows
                )
            } ?? []
        try body()
        let devices = pending.map(\.device)
        let after = try readable { try ledgerRows(of: campaign, devices) } ?? []
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

    /// What the ledger has of some devices by now, and of others between them. Mostly few others are, and one look along
    /// the ledger has all. Where very many had ended before, the rest is looked up by the devices' numbers.
    private func ledgerRows(of campaign: CampaignID, _ devices: [Int64]) throws -> [DeliveryOfDevice] {
        guard let first = devices.first, let last = devices.last else { return [] }
        let most = 2 * Self.maximumRows
        let found = try connection.figures.rows(of: campaign, devices: first...last, RecipientFilter(), limit: most)
        guard found.count == most, let reached = found.last?.device else { return found }
        return try found + connection.figures.rows(of: campaign, devices: devices.filter { $0 > reached })
    }

    /// Runs a body that notes what a device gets of in-app campaigns, or why it gets nothing.
    func downloads(
        of campaigns: some Sequence<CampaignID>, device: Int64, client: DeviceID, _ body: () throws -> Void
    ) throws -> [EndedDeliveries] {
        guard isTold else {
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

    /// Nil for what cannot be read: it is not told, and keeps nothing from being ended (SEC-8).
    private func readable<Value>(_ read: () throws -> Value?) throws -> Value? {
        do {
            return try read()
        } catch let error where error.meansUnreadable {
            return nil
        }
    }
}

extension TraceLog {
    func tell(_ ended: [EndedDeliveries]) {
        for deliveries in ended { add(TraceSpan.spans(of: deliveries)) }
    }
}

extension TraceSpan {
    /// A row that had ended before has its span already: what comes later is a part of it.
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
