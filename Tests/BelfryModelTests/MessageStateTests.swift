import BelfryModel
import Testing

struct MessageStateTests {
    @Test("MC-14: states merge to the most advanced one, in any order and any number of times")
    func join() {
        for first in MessageState.allCases {
            #expect(first.joined(first) == first)
            #expect(MessageState.unread.joined(first) == first && first.joined(.deleted) == .deleted)
            for second in MessageState.allCases {
                #expect(first.joined(second) == second.joined(first))
                for third in MessageState.allCases {
                    #expect(first.joined(second).joined(third) == first.joined(second.joined(third)))
                }
            }
        }
        #expect(MessageState.unread < .read && .read < .deleted)
    }
}
