/// What a simulator has seen of requests and connections.
struct JournalCounts: Sendable {
    var requests = 0
    var accepted = 0
    var connections = 0
    var openConnections = 0
    /// By reason.
    var refused: [String: Int] = [:]
    var faults: [FaultPlan.Fault: Int] = [:]
    var remarks: [Remark: Int] = [:]

    mutating func accept(_ remark: Remark?, _ fault: FaultPlan.Fault?) {
        requests += 1
        accepted += 1
        if let remark { remarks[remark, default: 0] += 1 }
        if let fault { faults[fault, default: 0] += 1 }
    }

    /// Faults that were drawn, by name.
    var namedFaults: [String: Int] {
        Dictionary(uniqueKeysWithValues: faults.map { ($0.key.rawValue, $0.value) })
    }
}
