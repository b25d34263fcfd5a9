import BelfryModel

extension EventCount {
    func holds(_ count: Int) -> Bool {
        switch op {
        case .equal: count == value
        case .notEqual: count != value
        case .less: count < value
        case .lessOrEqual: count <= value
        case .greater: count > value
        case .greaterOrEqual: count >= value
        }
    }
}
