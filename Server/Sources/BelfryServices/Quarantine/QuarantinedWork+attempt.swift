import BelfryModel
import BelfryStore

extension QuarantinedWork {
    init(_ attempt: WorkAttempt, app: AppCode?) {
        self.init(
            subject: attempt.subject, app: app, attempts: attempt.attempts,
            reason: attempt.reason ?? "No reason is recorded.", since: attempt.since
        )
    }
}
