package dev.stowage.graph;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TensorTableTest {

    private static final Layout LAYOUT = Layout.contiguous(ElementType.F32, 1);

    private final Tensor tensor = Tensor.leaf(LAYOUT);

    @Test
    void hasNothingAtFirst() {
        assertThat(new TensorTable(0).get(tensor)).isEqualTo(TensorTable.ABSENT);
    }

    @Test
    void givesBackWhatWasPut() {
        TensorTable table = new TensorTable(0);

        assertThat(table.put(tensor, -7)).isEqualTo(TensorTable.ABSENT);
        assertThat(table.get(tensor)).isEqualTo(-7);
        assertThat(table.get(Tensor.leaf(LAYOUT))).isEqualTo(TensorTable.ABSENT);
    }

    @Test
    void replacesAndReturnsWhatWasThere() {
        TensorTable table = new TensorTable(0);
        table.put(tensor, 1);

        assertThat(table.put(tensor, 2)).isEqualTo(1);
        assertThat(table.get(tensor)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8, 1000, 100_000})
    void knowsAsManyTensorsAsThereAre(int expected) {
        TensorTable table = new TensorTable(expected);
        IdentityHashMap<Tensor, Integer> map = new IdentityHashMap<>();
        List<Tensor> tensors = new ArrayList<>();
        Random random = new Random(expected);
        for (int i = 0; i < 20_000; i++) {
            if (tensors.isEmpty() || random.nextInt(3) > 0) {
                tensors.add(Tensor.leaf(LAYOUT));
            }
            Tensor chosen = tensors.get(random.nextInt(tensors.size()));
            Integer before = map.put(chosen, i);

            assertThat(table.put(chosen, i)).as("step %d", i).isEqualTo(before == null ? TensorTable.ABSENT : before);
        }
        for (Tensor each : tensors) {
            assertThat(table.get(each)).isEqualTo(map.getOrDefault(each, TensorTable.ABSENT));
        }
    }
}
