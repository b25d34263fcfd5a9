import BelfryRules
import Foundation
import Testing

struct RecipientMarksTests {
    private func mark(_ name: String) -> String {
        String((name + String(repeating: "_", count: RecipientMarks.markLength)).prefix(RecipientMarks.markLength))
    }

    private func reference(_ name: String) -> String {
        mark(name) + ".rest-of-the-reference"
    }

    @Test("ID-4: the mark is the first part of a reference; one without it has none")
    func parsing() {
        #expect(RecipientMarks.mark(of: "abcdefghijkl.rest") == "abcdefghijkl")
        #expect(RecipientMarks.mark(of: "abcdefghijkl.") == "abcdefghijkl")
        for reference in [
            "", "abcdefghijkl", "abcdefghijk.rest", "abcdefghijklm.rest", "äöüäöüx.rest", "................",
        ] {
            #expect(RecipientMarks.mark(of: reference) != "abcdefghijkl", "\(reference)")
        }
        #expect(RecipientMarks.mark(of: "reference-anna") == nil)
    }

    @Test("ID-4: pushes are for nobody else until somebody else came; one without a mark is anybody's")
    func persons() throws {
        var marks = RecipientMarks()
        marks.linked(reference("a0"), owner: 0)
        marks.linked(reference("anna"), owner: 1)
        for name in ["a0", "anna", "never seen"] {
            #expect(!marks.isFormer(mark(name), reference: reference("anna")))
        }
        marks.personChanged(owner: 2)
        marks.linked(reference("a2"), owner: 2)
        marks = try restarted(marks)
        #expect(marks.isFormer(mark("a0"), reference: reference("a2")))
        #expect(marks.isFormer(mark("anna"), reference: reference("a2")))
        #expect(!marks.isFormer(mark("a2"), reference: reference("a2")))
        #expect(!marks.isFormer(nil, reference: reference("a2")))
        #expect(!marks.isFormer(mark("never seen"), reference: nil))
        // The contact of the moment is never a stranger, however the device came to it.
        #expect(!marks.isFormer(mark("a0"), reference: reference("a0")))
    }

    @Test("ID-4: who logged in and out without a network is known as a former person when the link is made at last")
    func late() {
        var marks = RecipientMarks()
        marks.linked(reference("a0"), owner: 0)
        marks.personChanged(owner: 2)
        marks.linked(reference("anna"), owner: 1)
        #expect(marks.isFormer(mark("anna"), reference: nil))
        marks.linked(reference("bert"), owner: 2)
        #expect(!marks.isFormer(mark("bert"), reference: nil))
    }

    @Test("ID-4: former marks are bounded, and the newest are kept")
    func bounded() {
        var marks = RecipientMarks()
        for owner in 0..<1_000 {
            marks.linked(reference("p\(owner)"), owner: owner)
            marks.personChanged(owner: owner + 1)
        }
        #expect(marks.former == (744..<1_000).map { mark("p\($0)") })
    }

    @Test("ID-4: the marks of a device that was linked before marks were kept are the present person's")
    func earlierVersion() {
        var marks = RecipientMarks(references: [0: reference("a0"), 1: reference("anna"), 2: "reference-old"])
        #expect(!marks.isFormer(mark("anna"), reference: nil))
        marks.personChanged(owner: 3)
        #expect(marks.former == [mark("a0"), mark("anna")])
    }

    @Test("ID-4: whoever comes and goes, exactly the marks of the others are former", arguments: UInt64(1)...200)
    func property(seed: UInt64) {
        var dice = DeviceDice(seed: seed)
        var marks = RecipientMarks()
        var owner = 0
        var person: String?
        var present: Set<String> = [mark("a0")]
        var all = present
        marks.linked(reference("a0"), owner: 0)
        // As many persons and anonymous contacts as the list holds.
        for step in 1...9 {
            let next = dice.isLikely(0.6) ? ["anna", "bert", "cleo"][Int(dice.next() % 3)] : nil
            guard next != person else { continue }
            owner += 1
            let name = next ?? "a\(step)"
            if person != nil {
                marks.personChanged(owner: owner)
                present = []
            }
            marks.linked(reference(name), owner: owner)
            person = next
            present.insert(mark(name))
            all.insert(mark(name))
            for one in all {
                let isFormer = marks.isFormer(one, reference: reference(name))
                #expect(isFormer == !present.contains(one), "seed \(seed), step \(step), \(one)")
            }
        }
    }
}
