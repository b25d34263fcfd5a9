import BelfryModel

extension Metrics {
    func countDeliveries(_ verdicts: [Verdict]) {
        var counts: [DeliveryState: Int] = [:]
        for verdict in verdicts { counts[verdict.update.state, default: 0] += 1 }
        for (state, count) in counts {
            add(count, to: "belfry_deliveries_total{state=\"\(state.rawValue)\"}")
        }
    }
}
