package dev.stowage.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class IdentitySetTest {

    @Test
    void isTheIdentitySetOfTheJdkInTheOrderOfAdding() {
        Random random = new Random(1);
        List<List<Integer>> pool = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            pool.add(new ArrayList<>(List.of(i % 7)));
        }
        IdentitySet<List<Integer>> set = new IdentitySet<>();
        for (int round = 0; round < 50; round++) {
            Set<List<Integer>> expected = Collections.newSetFromMap(new IdentityHashMap<>());
            List<List<Integer>> order = new ArrayList<>();
            for (int i = random.nextInt(400); i > 0; i--) {
                List<Integer> element = pool.get(random.nextInt(pool.size()));
                assertThat(set.contains(element)).isEqualTo(expected.contains(element));
                boolean added = expected.add(element);
                assertThat(set.add(element)).isEqualTo(added);
                if (added) {
                    order.add(element);
                }
            }
            assertThat(set.size()).isEqualTo(order.size());
            for (int i = 0; i < order.size(); i++) {
                assertThat(set.get(i)).isSameAs(order.get(i));
            }
            set.clear();
            assertThat(set.size()).isZero();
        }
    }
}
