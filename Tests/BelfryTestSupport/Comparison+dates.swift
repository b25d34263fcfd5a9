import BelfryModel
import BelfryRules
import Foundation

extension Comparison {
    /// Compares an attribute that is defined as a date. A value that is not a date counts as missing when dates are
    /// compared.
    func holds(forDate value: AttributeValue?, in context: ConditionContext) -> Bool {
        switch self {
        case .contains, .startsWith, .exists: return holds(value)
        default: break
        }
        guard let value, case .date(let date)? = AttributeType.date.admit(value) else { return false }
        let moment = date.milliseconds
        func compared(to other: AttributeValue, _ holds: (DateSpan) -> Bool) -> Bool {
            DateSpan(other, in: context).map(holds) ?? false
        }
        switch self {
        case .equal(let other): return compared(to: other) { $0.first <= moment && moment <= $0.last }
        case .notEqual(let other): return compared(to: other) { moment < $0.first || $0.last < moment }
        case .less(let other): return compared(to: other) { moment < $0.first }
        case .lessOrEqual(let other): return compared(to: other) { moment <= $0.last }
        case .greater(let other): return compared(to: other) { moment > $0.last }
        case .greaterOrEqual(let other): return compared(to: other) { moment >= $0.first }
        case .isIn(let others):
            return others.contains { compared(to: $0) { $0.first <= moment && moment <= $0.last } }
        case .contains, .startsWith, .exists: return false
        }
    }
}
