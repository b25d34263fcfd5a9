import Foundation
import Testing

@testable import BelfryServices

struct HeldWorkTests {
    @Test("PUSH-5: a round that is given back is still held, but its lease is not renewed any more")
    func ending() async {
        let held = HeldWork<String>()
        let first = await held.insert(["a"])
        _ = await held.insert(["b", "c"])
        #expect(await held.count == 2)
        #expect(await held.items.sorted() == ["a", "b", "c"])
        #expect(await held.leased.sorted() == ["a", "b", "c"])
        await held.end(first)
        #expect(await held.items.sorted() == ["a", "b", "c"])
        #expect(await held.leased.sorted() == ["b", "c"])
        await held.remove(first)
        #expect(await held.count == 1)
        #expect(await held.items.sorted() == ["b", "c"])
    }

    @Test("PUSH-7: items that are done are not held any more, but their round keeps its slot until it ends")
    func slots() async {
        let held = HeldWork<Int>()
        let first = await held.insert([1, 2], of: 7)
        _ = await held.insert([3], of: 7)
        _ = await held.insert([4], of: 8)
        await held.remove([1, 2], from: first)
        #expect(await held.items.sorted() == [3, 4])
        #expect(await held.count == 3)
        #expect(await held.count(of: 7) == 2)
        #expect(await held.apps(with: 2) == [7])
        #expect(await held.apps(with: 1).sorted() == [7, 8])
        await held.remove(first)
        #expect(await held.count(of: 7) == 1)
        #expect(await held.apps(with: 2).isEmpty)
    }

    @Test("SEC-8: one round at a time is begun alone, until it makes progress or ends")
    func alone() async {
        let (held, now) = (HeldWork<Int>(), ServiceWorld.epoch)
        let other = await held.insert([1])
        let first = await held.insert([2], aloneSince: now)
        #expect(await held.mayBeginAlone(at: now) == false)
        #expect(await held.progress(of: other) == false)
        #expect(await held.progress(of: first))
        #expect(await held.mayBeginAlone(at: now))
        let second = await held.insert([3], aloneSince: now)
        #expect(await held.mayBeginAlone(at: now) == false)
        await held.remove(second)
        #expect(await held.mayBeginAlone(at: now))
    }
}
