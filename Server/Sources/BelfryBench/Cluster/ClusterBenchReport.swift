import BelfryCommand
import BelfryServerModel

/// The figures of one run of `belfry bench cluster`, and whether everything acknowledged is there (FLEET-6).
struct ClusterBenchReport: Encodable {
    /// One kind of calls before the campaigns.
    struct Phase: Encodable {
        let name: String
        let operations: Int
        let seconds: Double
        let perSecond: Double
        let p99Milliseconds: Double
        let slowestMilliseconds: Double

        /// - Parameter milliseconds: the duration of each call.
        init(_ name: String, operations: Int, seconds: Double, milliseconds: [Double]) {
            self.name = name
            self.operations = operations
            self.seconds = seconds.rounded(places: 2)
            perSecond = (seconds > 0 ? Double(operations) / seconds : 0).rounded(places: 1)
            p99Milliseconds = milliseconds.quantile(0.99).rounded(places: 1)
            slowestMilliseconds = milliseconds.quantile(1).rounded(places: 1)
        }
    }

    /// What happened to the cluster amid a campaign.
    struct Disturbance: Encodable {
        let name: String
        /// The number of pushes that the sink had got when it began, and the number that came until it was over.
        let sentBefore: Int
        let sentMeanwhile: Int
        /// The pushes of `sentBefore` that the ledger did not have yet, at most.
        let openBefore: Int
        /// The number of pushes that may have been sent again because of it.
        let mayRepeat: Int
        /// The number of shards on the worker that joined; nil if none did.
        let movedShards: Int?
    }

    /// A campaign, by its counts, by the rows of the ledger, and by what the sink got.
    struct Campaign: Encodable {
        let devices: Int
        let seconds: Double
        let perSecond: Double
        let disturbance: Disturbance
        let counts: CampaignCounts
        let rows: Int
        let devicesInLedger: Int
        let sink: SinkPushes.Comparison

        init(
            devices: Int, seconds: Double, disturbance: Disturbance, counts: CampaignCounts,
            ledger: ClusterDatabase.Ledger, sink: SinkPushes.Comparison
        ) {
            self.devices = devices
            self.seconds = seconds.rounded(places: 2)
            perSecond = (seconds > 0 ? Double(devices) / seconds : 0).rounded()
            self.disturbance = disturbance
            self.counts = counts
            rows = ledger.rows
            devicesInLedger = ledger.devices
            self.sink = sink
        }

        /// The number of devices that were not sent to, each with a reason in the ledger.
        var withReason: Int { counts.suppressed + counts.rejected + counts.cancelled }

        /// Whether it was sent while something happened: neither before nor after that.
        var wasDisturbed: Bool {
            disturbance.sentBefore < devices
                && (disturbance.movedShards.map { $0 > 0 && disturbance.sentMeanwhile > 0 } ?? true)
        }

        /// Whether the ledger has one final row for each device, and the sink got what the ledger says: a push to each
        /// device that is accepted there, none to anybody else, and none again but those that may repeat.
        var addsUp: Bool {
            let isWhole = counts.audience == devices && rows == devices && devicesInLedger == devices
            let isFinal = counts.pending == 0 && counts.accepted + withReason == devices
            let isSent = sink.devices >= counts.accepted && sink.foreign == 0
            return isWhole && isFinal && isSent && sink.repeats <= disturbance.mayRepeat
        }
    }

    /// What was acknowledged, and what of it is missing.
    struct Kept: Encodable {
        /// The number of devices without all events of their app open.
        let lostOpenings: Int
        /// The events that were sent during the campaigns; below those that are missing.
        let acknowledgedEvents: Int
        let lostEvents: Int
        /// The registrations of the fleet and of those that register all the time; below those that are missing.
        let acknowledgedRegistrations: Int
        let lostRegistrations: Int
        /// The number of devices that do not have what they registered last.
        let outdatedDevices: Int
        /// The number of calls that were refused during the campaigns, and made again.
        let refusals: Int

        /// - Parameters:
        ///   - devices: the size of the fleet, each device of which registered and opened its app once.
        ///   - registrations: the number of stored registrations.
        ///   - outdated: the number of devices that do not have what they registered last.
        init(
            devices: Int, events: ClusterDatabase.Events, acknowledged: ClusterTalkers.Acknowledged, registrations: Int,
            outdated: Int
        ) {
            lostOpenings = devices - events.opened
            acknowledgedEvents = acknowledged.events.count
            lostEvents = acknowledged.events.subtracting(events.talked).count
            acknowledgedRegistrations = devices + acknowledged.registrations
            lostRegistrations = max(0, devices + acknowledged.registrations - registrations)
            outdatedDevices = outdated
            refusals = acknowledged.refusals
        }

        var isEverything: Bool {
            lostOpenings == 0 && lostEvents == 0 && lostRegistrations == 0 && outdatedDevices == 0
                && acknowledgedEvents > 0
        }
    }

    let devices: Int
    let workersBefore: Int
    let workersAfter: Int
    /// Whether commits wait for the disk.
    let isSynced: Bool
    let phases: [Phase]
    let campaigns: [Campaign]
    let kept: Kept

    var isMet: Bool {
        kept.isEverything && !campaigns.isEmpty && campaigns.allSatisfy { $0.addsUp && $0.wasDisturbed }
            && workersAfter == workersBefore + 1
    }
}

extension ClusterBenchReport {
    var table: String {
        let note = isSynced ? "" : "\n\nfsync is off: commits do not wait for the disk."
        return "\(calls)\n\n\(sends)\n\n\(losses)\(note)"
    }

    private var calls: String {
        var table = TextTable("\(devices) DEVICES", "SECONDS", "A SECOND", "P99 MS", "SLOWEST MS")
        for phase in phases {
            table.add(
                phase.name, phase.seconds.text(places: 1), phase.perSecond.text(),
                phase.p99Milliseconds.text(places: 1),
                phase.slowestMilliseconds.text(places: 1)
            )
        }
        for campaign in campaigns {
            table.add(
                "a campaign, while \(campaign.disturbance.name)", campaign.seconds.text(places: 1),
                campaign.perSecond.text(), "", ""
            )
        }
        return table.text
    }

    private var sends: String {
        var table = TextTable("CAMPAIGNS", "MEASURED", "WANTED")
        for campaign in campaigns {
            let disturbance = campaign.disturbance
            table.add(
                "while \(disturbance.name): sent before", "\(disturbance.sentBefore)", "fewer than \(campaign.devices)"
            )
            table.add(
                "  sent meanwhile", "\(disturbance.sentMeanwhile)", disturbance.movedShards == nil ? "" : "1 or more"
            )
            if let shards = disturbance.movedShards { table.add("  shards that moved", "\(shards)", "1 or more") }
            table.add("  devices in the ledger", "\(campaign.devicesInLedger)", "\(campaign.devices)")
            table.add("  rows in the ledger", "\(campaign.rows)", "\(campaign.devices)")
            table.add("  pending", "\(campaign.counts.pending)", "0")
            table.add(
                "  accepted, or with a reason", "\(campaign.counts.accepted) + \(campaign.withReason)",
                "\(campaign.devices) together"
            )
            table.add("  devices at the sink", "\(campaign.sink.devices)", "≥ \(campaign.counts.accepted)")
            table.add("  pushes to others", "\(campaign.sink.foreign)", "0")
            table.add("  pushes again", "\(campaign.sink.repeats)", "≤ \(disturbance.mayRepeat)")
        }
        return table.text
    }

    private var losses: String {
        var table = TextTable("ACKNOWLEDGED", "MEASURED", "LOST", "WANTED")
        table.add("app opens", "\(devices)", "\(kept.lostOpenings)", "0")
        table.add("events during the campaigns", "\(kept.acknowledgedEvents)", "\(kept.lostEvents)", "0")
        table.add("registrations", "\(kept.acknowledgedRegistrations)", "\(kept.lostRegistrations)", "0")
        table.add("devices that register all the time", "", "\(kept.outdatedDevices)", "0")
        table.add("calls that were refused and made again", "\(kept.refusals)", "", "")
        table.add("workers", "\(workersBefore), then \(workersAfter)", "", "\(workersBefore + 1)")
        return table.text
    }
}
