import BelfryStore

extension Metrics {
    func countDeliveries(_ updates: [DeliveryUpdate]) {
        let counts = Dictionary(grouping: updates, by: \.state).mapValues(\.count)
        for (state, count) in counts {
            add(count, to: "belfry_deliveries_total{state=\"\(state.rawValue)\"}")
        }
    }
}
