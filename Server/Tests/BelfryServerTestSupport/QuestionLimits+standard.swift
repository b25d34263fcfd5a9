import BelfryStore
import Dispatch

extension QuestionLimits {
    /// The limits of a server.
    package static let standard = QuestionLimits { DispatchTime.now().uptimeNanoseconds }

    /// For tests of what is found, however busy the machine is: an hour for each.
    package static var patient: QuestionLimits {
        var limits = standard
        limits.countingBudget = 3_600_000_000_000
        limits.lookingBudget = limits.countingBudget
        limits.planningBudget = limits.countingBudget
        return limits
    }
}
